#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/distributed/distributed_options.h"
#include "core/optim/parameter_average.h"
#include "core/options/fairseq/hydra/hydra_command.h"
#include "core/options/option_table.h"
#include "core/plugin/registry.h"
#include "core/run/options/device_options.h"
#include "core/run/run_components.h"
#include "core/train/options/checkpoint_options.h"
#include "core/train/options/component_options.h"
#include "core/train/options/machine_options.h"
#include "core/train/options/optimization_options.h"
#include "core/train/options/validation_options.h"
#include "core/translate/parameters/pretrained_embeddings.h"

namespace phraseq {

/// A training run before it begins: every options struct, the components selected by name, and the
/// table that describes them all.
struct PHRASEQ_API TrainRun {
  /// Loads the plugins and selects the components that the arguments name. Nothing is parsed yet.
  explicit TrainRun(std::span<const std::string> arguments);
  /// Contradictions within the options of all components.
  std::vector<std::string> problems() const;
  /// Names the components that have an option that the selected ones lack (ExplainOption).
  std::string explain_unknown(const std::string& option) const;

  ComponentOptions components;
  OptimizationOptions optimization;
  MovingAverageOptions average;
  ValidationOptions validation;
  CheckpointOptions checkpoints;
  PretrainedEmbeddings embeddings;
  MachineOptions machine;
  fairseq::HydraOptions hydra;
  DeviceOptions device;
  DistributedOptions distributed;
  std::unique_ptr<LoadedPlugins> loaded;
  Selection architecture, task, criterion, optimizer, scheduler;
  Selection data_loader;  ///< chosen and described when --data-loader names one
  Selection metric;  ///< chosen and described when --eval-bleu or an option that names one is given
  OptionTable table;

 private:
  /// Makes the criterion that the architecture declares the default of --criterion.
  void take_declared_criterion();
  std::string metric_problem() const;
  /// Reports names in --allow-changed that no option has.
  std::vector<std::string> unknown_names() const;
  std::string contradiction(const char* flag, const char* option, const char* value) const;
};

}  // namespace phraseq

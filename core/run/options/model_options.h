#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/nn/context.h"
#include "core/nn/packed/quantization_option.h"
#include "core/options/option_table.h"
#include "core/plugin/plugin_options.h"
#include "core/run/options/device_options.h"
#include "core/run/options/direction_options.h"
#include "core/translate/workers.h"

namespace phraseq {

/// --skip-self-test, for every command that opens a checkpoint to compute with it.
PHRASEQ_API void describe_skip_self_test(OptionTable& table, bool& skip_self_test);
/// --model-overrides, for every command that opens a checkpoint.
PHRASEQ_API void describe_model_overrides(OptionTable& table, std::vector<std::string>& overrides);

/// The trained models that a command uses, its device, threads and precision.
struct PHRASEQ_API ModelOptions : Options {
  bool takes_ensemble = true;  ///< whether --path may name several; set before `describe`
  bool translates = true;      ///< false for language models; set before `describe`
  std::string path;  ///< checkpoints or folders of checkpoints, separated by colons: an ensemble
  std::vector<std::string> model_overrides;
  std::vector<std::string> mask_heads;  ///< names of attention heads, "cross.2.3"
  std::string phrase_table;
  DirectionOptions direction;
  bool skip_self_test = false;
  nn::Precision precision = nn::Precision::kFp32;
  nn::QuantizationChoice quantization = nn::QuantizationChoice::kAuto;
  DeviceOptions device;
  int64_t workers = 0;
  int64_t threads = 0;
  PluginOptions plugins;

  std::string tokenizer;  ///< LoadOptions::tokenizer
  nlohmann::json tokenizer_options = nlohmann::json::object();

  void describe(OptionTable& table) override;
  /// Replaces the default 0 of --workers and --threads: one worker per core, with one thread each;
  /// on a GPU, one per two cores, at most 4, which share the cores.
  WorkerSettings worker_settings() const;

 private:
  void describe_model(OptionTable& table);
  void describe_translation(OptionTable& table);
  void describe_workers(OptionTable& table);
};

}  // namespace phraseq

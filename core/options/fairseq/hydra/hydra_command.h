#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq::fairseq {

/// The options that `read_hydra_command` removes from the command line.
struct PHRASEQ_API HydraOptions : Options {
  std::string config_dir;
  std::string config_name;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// The command line of fairseq-hydra-train converted to one of fairseq-train.
struct HydraCommand {
  std::vector<std::string> arguments;  ///< the settings as flags, then all other arguments
  std::string file;                    ///< the configuration; empty if there are no settings
};

/// Reads the configuration that `--config-dir DIR --config-name NAME` name, and the settings
/// `group.name=value`: `optimization.max_update=50000` becomes `--max-update=50000`,
/// `model._name=transformer` becomes `--arch=transformer`, and `task.data` becomes DATA. Groups of
/// other commands and of Hydra are ignored. `group=name` selects a component. Without --config-name
/// and without settings, the arguments do not change.
///
/// Throws UsageError for other groups and for --multirun, IoError and FormatError for files that
/// cannot be read.
PHRASEQ_API HydraCommand read_hydra_command(std::span<const std::string> arguments);

}  // namespace phraseq::fairseq

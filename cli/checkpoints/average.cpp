// phraseq average: averages the parameters of several checkpoints.

#include "core/checkpoint/derived/average.h"

#include <filesystem>

#include <fmt/format.h>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/wording/counted.h"
#include "core/checkpoint/checkpoint_choice.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/options/auto_switch.h"

namespace {

using namespace phraseq;

struct AverageOptions final : Options {
  std::vector<std::string> inputs;
  std::string output;
  int64_t num_epoch_checkpoints = 0;
  int64_t num_update_checkpoints = 0;
  int64_t num_best_checkpoints = 0;
  int64_t checkpoint_upper_bound = -1;
  std::string metric;
  AutoSwitch maximize = AutoSwitch::kAuto;

  void describe(OptionTable& table) override {
    table
        .field("inputs",
               inputs,
               "Checkpoints, oldest first; or one folder, with one of the options "
               "--num-epoch-checkpoints, --num-update-checkpoints and --num-best-checkpoints.")
        .positional()
        .required()
        .value_name("FILE");
    table.field("output", output, "Checkpoint to write.")
        .required()
        .value_name("FILE")
        .writes_file();
    describe_counts(table);
    describe_best(table);
  }

  std::vector<std::string> problems() const override {
    const int choices =
        (num_epoch_checkpoints > 0) + (num_update_checkpoints > 0) + (num_best_checkpoints > 0);
    std::vector<std::string> found;
    if (choices > 1)
      found.emplace_back("at most one of the options --num-…-checkpoints can be given");
    if (choices > 0 && inputs.size() > 1)
      found.emplace_back("--num-…-checkpoints takes exactly one folder as input");
    if (choices == 0 && inputs.size() == 1 && std::filesystem::is_directory(inputs.front()))
      found.emplace_back("a folder needs one of the options --num-…-checkpoints");
    if (checkpoint_upper_bound >= 0 && num_epoch_checkpoints + num_update_checkpoints == 0) {
      found.emplace_back(
          "--checkpoint-upper-bound needs --num-epoch-checkpoints or --num-update-checkpoints");
    }
    if (!metric.empty() && num_best_checkpoints == 0)
      found.emplace_back("--metric needs --num-best-checkpoints");
    if (maximize != AutoSwitch::kAuto && num_best_checkpoints == 0)
      found.emplace_back("--maximize-best-checkpoint-metric needs --num-best-checkpoints");
    return found;
  }

 private:
  void describe_counts(OptionTable& table) {
    table
        .field("num-epoch-checkpoints",
               num_epoch_checkpoints,
               "Average the last N epoch checkpoints of the folder.")
        .at_least(0)
        .value_name("N");
    table
        .field("num-update-checkpoints",
               num_update_checkpoints,
               "Average the last N checkpoints of the folder that were saved by number of updates.")
        .at_least(0)
        .value_name("N");
    table
        .field("num-best-checkpoints",
               num_best_checkpoints,
               "Average the N best checkpoints of the folder (see --keep-best-checkpoints).")
        .at_least(0)
        .value_name("N");
    table
        .field("checkpoint-upper-bound",
               checkpoint_upper_bound,
               "Ignore checkpoints after this epoch or update; -1 = no bound.")
        .at_least(-1)
        .value_name("N");
  }

  void describe_best(OptionTable& table) {
    table.field(
        "metric",
        metric,
        "Metric that the best checkpoints were chosen by; needed when the folder has several.");
    table
        .field("maximize-best-checkpoint-metric",
               maximize,
               kAutoSwitchNames,
               "Whether larger values of the metric are better; auto knows losses, BLEU, chrF and "
               "TER.")
        .bare_value("yes");
  }
};

CheckpointChoice choice_from(const AverageOptions& options) {
  CheckpointChoice choice;
  choice.count =
      options.num_epoch_checkpoints + options.num_update_checkpoints + options.num_best_checkpoints;
  if (options.num_update_checkpoints > 0)
    choice.kind = CheckpointKind::kUpdate;
  if (options.num_best_checkpoints > 0)
    choice.kind = CheckpointKind::kBest;
  if (options.checkpoint_upper_bound >= 0)
    choice.upper_bound = options.checkpoint_upper_bound;
  choice.metric = options.metric;
  if (options.maximize != AutoSwitch::kAuto)
    choice.larger_is_better = options.maximize == AutoSwitch::kYes;
  return choice;
}

std::vector<std::string> find_inputs(const AverageOptions& options) {
  const CheckpointChoice choice = choice_from(options);
  if (choice.count > 0)
    return choose_checkpoints(options.inputs.front(), choice);
  std::vector<std::string> paths;
  for (const auto& input : options.inputs) paths.push_back(resolve_checkpoint(input));
  return paths;
}

int average(std::span<const std::string> arguments) {
  AverageOptions options;
  if (!begin_command(options,
                     {"average",
                      "FILE... --output FILE | FOLDER --num-...-checkpoints N --output FILE",
                      "Averages the parameters of several checkpoints."},
                     arguments))
    return kExitOk;
  const auto inputs = find_inputs(options);
  for (const auto& input : inputs) log_info(fmt::format("averaging {}", input));
  average_checkpoints(inputs, options.output);
  log_info(fmt::format("{}: the mean of {}",
                       options.output,
                       counted(static_cast<int64_t>(inputs.size()), "checkpoint")));
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) { return phraseq::run_command("average", argc, argv, average); }

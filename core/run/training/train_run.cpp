#include "core/run/training/train_run.h"

#include <fmt/format.h>

#include "core/base/wording/close_matches.h"
#include "core/base/wording/message_text.h"
#include "core/criterion/criterion.h"
#include "core/criterion/declared_criterion.h"
#include "core/data/data_loader.h"
#include "core/data/task.h"
#include "core/optim/lr_scheduler.h"
#include "core/optim/optimizer.h"
#include "core/options/command_line.h"
#include "core/options/fairseq/fairseq_values.h"
#include "core/run/run_components.h"
#include "core/run/training/preset_training.h"
#include "core/run/training/validation/validation_search.h"
#include "core/score/metrics/metric.h"
#include "core/text/tokenizer.h"

namespace phraseq {
namespace {

/// Describes the options of every training, which do not depend on its components.
void describe_own_options(TrainRun& run) {
  run.components.describe(run.table);
  run.optimization.describe(run.table);
  run.average.describe(run.table);
  run.validation.describe(run.table);
  run.checkpoints.describe(run.table);
  run.embeddings.describe(run.table);
  run.machine.describe(run.table);
  run.device.describe(run.table);  // continues the section of the machine
  run.hydra.describe(run.table);
  run.distributed.describe(run.table);
}

/// The value of --best-checkpoint-metric as it will be parsed: nll_loss for fairseq's ppl.
std::string chosen_metric(std::span<const std::string> arguments, OptionTable& table) {
  constexpr const char* kOption = "best-checkpoint-metric";
  const std::string given = peek_option(arguments, kOption, "loss");
  std::vector<std::string> notes;
  return fairseq::translated_value(kOption, given, table, notes).value_or(given);
}

}  // namespace

TrainRun::TrainRun(std::span<const std::string> arguments) : loaded(load_plugins_for(arguments)) {
  const std::string chosen_by = chosen_metric(arguments, table);
  if (!ValidationOptions::is_of_criterion(chosen_by))
    components.metric = chosen_by;
  describe_own_options(*this);
  const auto pick = [&](const char* kind, const char* flag, const std::string& fallback) {
    Selection selection =
        loaded->registry.select(kind, peek_option(table, arguments, flag, fallback));
    describe(table, selection);
    return selection;
  };
  task = pick(Task::kKind, "task", components.task);
  const std::string loader = peek_option(table, arguments, "data-loader", "auto");
  if (loaded->registry.find(DataLoader::kKind, loader))
    data_loader = pick(DataLoader::kKind, "data-loader", "");
  if (!peek_option(table, arguments, "arch", "").empty())
    architecture = pick(Architecture::kKind, "arch", "");
  take_declared_criterion();
  take_component_names(architecture.training, !declared_criterion(architecture).empty(), table);
  criterion = pick(Criterion::kKind, "criterion", components.criterion);
  optimizer = pick(Optimizer::kKind, "optimizer", components.optimizer);
  scheduler = pick(LrScheduler::kKind, "lr-scheduler", components.lr_scheduler);
  if (peek_flag(table, arguments, "eval-bleu") || !ValidationOptions::is_of_criterion(chosen_by) ||
      !peek_option(arguments, "metric", "").empty())
    metric = pick(Metric::kKind, "metric", components.metric);
  take_option_values(architecture.training, arguments, table);
}

void TrainRun::take_declared_criterion() {
  const std::string declared = declared_criterion(architecture);
  if (declared.empty())
    return;
  components.criterion = declared;
  OptionField& field = *table.find("criterion");
  field.default_text = field.to_text();
}

std::vector<std::string> TrainRun::problems() const {
  std::vector<std::string> found;
  const auto gather = [&](const Options& options) {
    for (auto& text : options.problems()) found.push_back(std::move(text));
  };
  gather(optimization);
  gather(validation);
  gather(checkpoints);
  gather(distributed);
  gather(machine);
  gather(hydra);
  for (const std::string& text : {metric_problem(),
                                  contradiction("sentence-avg", "loss-normalization", "sentences"),
                                  contradiction("bf16", "precision", "bf16"),
                                  contradiction("fp16", "precision", "fp16")}) {
    if (!text.empty())
      found.push_back(text);
  }
  if (validation.eval_bleu) {
    for (auto& text : validation_search(loaded->registry, validation.eval_bleu_args).problems)
      found.push_back(std::move(text));
  }
  for (auto& text : unknown_names()) found.push_back(std::move(text));
  for (const Selection* selection :
       {&task, &data_loader, &architecture, &criterion, &optimizer, &scheduler, &metric})
    add_problems_of(*selection, found);
  return found;
}

std::string TrainRun::explain_unknown(const std::string& option) const {
  constexpr KindOption kKinds[] = {{Architecture::kKind, "arch"},
                                   {Task::kKind, "task"},
                                   {DataLoader::kKind, "data-loader"},
                                   {Criterion::kKind, "criterion"},
                                   {Optimizer::kKind, "optimizer"},
                                   {LrScheduler::kKind, "lr-scheduler"},
                                   {Metric::kKind, "metric"}};
  constexpr KindOption kOfPreprocessing[] = {{Tokenizer::kKind, "tokenizer"}};
  const std::string owners = owners_of_option(loaded->registry, kKinds, option);
  if (!owners.empty())
    return owners;
  const std::string tokenizers = owners_of_option(loaded->registry, kOfPreprocessing, option);
  return tokenizers.empty() ? "" : tokenizers + ": 'phraseq preprocess' takes and records it";
}

/// Reports a flag that is short for `--option value` if the option was also given, with a different
/// value.
std::string TrainRun::contradiction(const char* flag, const char* option, const char* value) const {
  const OptionField& short_form = *table.find(flag);
  const OptionField& long_form = *table.find(option);
  if (short_form.to_text() != "yes" || !long_form.is_given() || long_form.to_text() == value)
    return {};
  return fmt::format("--{} means --{} {}: give one of the two options", flag, option, value);
}

/// Reports that --best-checkpoint-metric needs another option, or names another metric than
/// --metric; empty if it does not.
std::string TrainRun::metric_problem() const {
  const std::string& chosen_by = validation.best_checkpoint_metric;
  if (ValidationOptions::is_accuracy(chosen_by)) {
    const OptionField* reported = table.find("report-accuracy");
    const bool is_reported = reported != nullptr && reported->to_text() == "yes";
    return is_reported
               ? ""
               : fmt::format("--best-checkpoint-metric {} needs --report-accuracy", chosen_by);
  }
  if (ValidationOptions::is_of_criterion(chosen_by) || metric.component == nullptr)
    return {};
  if (loaded->registry.select(Metric::kKind, chosen_by).name == metric.name)
    return {};
  return fmt::format(
      "--best-checkpoint-metric {} needs --metric {}: validation computes one metric, {}",
      chosen_by,
      chosen_by,
      metric.name);
}

/// Options of components that are not selected count as known: the checkpoint's run may have
/// selected these components.
std::vector<std::string> TrainRun::unknown_names() const {
  std::vector<std::string> found;
  for (const std::string& given : checkpoints.allow_changed) {
    const std::string name = option_name(given);
    if (table.find(name) != nullptr || !explain_unknown(name).empty())
      continue;
    const std::string guess = did_you_mean(name, table.names());
    found.push_back(fmt::format("--allow-changed: unknown option '{}'{}{}",
                                excerpt(given),
                                guess.empty() ? "" : "; ",
                                guess));
  }
  return found;
}

}  // namespace phraseq

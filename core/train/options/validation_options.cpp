#include "core/train/options/validation_options.h"

#include "core/data/joined/data_folders.h"

namespace phraseq {
namespace {

void describe_times(OptionTable& table, ValidationOptions& o) {
  table.section("Validation");
  table
      .field("valid-subset",
             o.valid_subset,
             "Names of the validation splits, separated by commas. The first one decides which "
             "checkpoint is the best.")
      .value_name("NAME[,NAME]")
      .harmless();
  table.field("disable-validation", o.disable_validation, "Disable validation.").harmless();
  table.field("validate-interval", o.validate_interval, "Validate every N epochs.")
      .at_least(1)
      .harmless();
  table
      .field("validate-interval-updates",
             o.validate_interval_updates,
             "Also validate every N updates; 0 = off.")
      .at_least(0)
      .harmless();
  table
      .field(
          "validate-after-updates", o.validate_after_updates, "Do not validate before this update.")
      .at_least(0)
      .harmless();
  table
      .field("max-tokens-valid",
             o.max_tokens_valid,
             "Maximum number of tokens in a validation batch; 0 = the same as --max-tokens.")
      .at_least(0)
      .harmless();
}

void describe_translation(OptionTable& table, ValidationOptions& o) {
  table.field("eval-bleu", o.eval_bleu, "Also translate the validation set and compute --metric.")
      .harmless();
  table
      .field(
          "eval-bleu-args", o.eval_bleu_args, "Options of beam search as JSON, e.g. {\"beam\": 1}.")
      .harmless();
  table
      .field("eval-bleu-remove-bpe",
             o.eval_bleu_remove_bpe,
             kPostProcessNames,
             "Join the subwords of the text that --eval-bleu scores, if the data folder has no "
             "subword model.")
      .bare_value("subword_nmt")
      .harmless();
  table
      .field("eval-bleu-sentences",
             o.eval_bleu_sentences,
             "Translate only the first N sentences; 0 = all.")
      .at_least(0)
      .harmless();
  table
      .field("eval-bleu-print-samples",
             o.eval_bleu_print_samples,
             "Log N translations and their references.")
      .at_least(0)
      .bare_value("1")
      .harmless();
}

void describe_best(OptionTable& table, ValidationOptions& o) {
  table
      .field("best-checkpoint-metric",
             o.best_checkpoint_metric,
             "The value that defines checkpoint_best: loss, nll_loss, accuracy (with "
             "--report-accuracy), NAME_per_token (another value of the criterion), or the name of "
             "the metric.")
      .harmless();
  table
      .field("maximize-best-checkpoint-metric",
             o.maximize_best_checkpoint_metric,
             "Larger values of the metric are better; not needed for metrics that phraseq knows.")
      .harmless();
  table
      .field("patience",
             o.patience,
             "Stop early if the metric does not improve for N consecutive validations; 0 or -1 = "
             "never.")
      .at_least(-1)
      .harmless();
}

}  // namespace

void ValidationOptions::describe(OptionTable& table) {
  describe_times(table, *this);
  describe_translation(table, *this);
  describe_best(table, *this);
}

bool ValidationOptions::is_loss(std::string_view metric) {
  return metric == "loss" || metric == "nll_loss";
}

bool ValidationOptions::is_accuracy(std::string_view metric) {
  return metric == kAccuracy || metric == kCorrectPerToken;
}

bool ValidationOptions::is_of_criterion(std::string_view metric) {
  return is_loss(metric) || metric == kAccuracy || metric.ends_with("_per_token");
}

std::vector<std::string> ValidationOptions::subsets() const {
  return listed_splits("valid-subset", valid_subset);
}

std::vector<std::string> ValidationOptions::problems() const {
  subsets();  // throws
  std::vector<std::string> found;
  if (!is_of_criterion(best_checkpoint_metric) && !eval_bleu)
    found.push_back("--best-checkpoint-metric " + best_checkpoint_metric + " needs --eval-bleu");
  if (is_loss(best_checkpoint_metric) && maximize_best_checkpoint_metric)
    found.push_back(maximize_problem());
  return found;
}

std::string ValidationOptions::maximize_problem() const {
  return "--maximize-best-checkpoint-metric would keep the worst checkpoint: a lower " +
         best_checkpoint_metric + " is better";
}

}  // namespace phraseq

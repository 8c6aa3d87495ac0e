#include "core/train/options/optimization_options.h"

namespace phraseq {
namespace {

void describe_batches(OptionTable& table, OptimizationOptions& o) {
  table.section("Optimization");
  o.batches.describe_with_auto(table);
  table
      .field("update-freq",
             o.update_freq,
             "Number of batches per update; a list gives one value per epoch, and its last value "
             "applies to all later epochs.")
      .at_least(1);
  table
      .field("accumulate-to-tokens",
             o.accumulate_to_tokens,
             "Accumulate batches until an update has at least this many target tokens; 0 = use "
             "--update-freq.")
      .at_least(0);
}

void describe_loss(OptionTable& table, OptimizationOptions& o) {
  table
      .field("lr",
             o.lr,
             "Learning rate: the peak of the schedule, or the constant value; --lr-scheduler "
             "fixed takes a list with one value per epoch.")
      .in(0.0, 1e100);
  table
      .field(
          "clip-norm", o.clip_norm, "Clip threshold of the gradient norm; 0 or -1 = no clipping.")
      .at_least(-1);
  table
      .field("loss-normalization",
             o.loss_normalization,
             kLossNormalizationNames,
             "Normalize the loss of an update by the number of target tokens, of sentences, or "
             "not at all.")
      .former_name("loss-normalisation");
  table.field("sentence-avg",
              o.sentence_avg,
              "Normalize gradients by the number of sentences in an update (the same as "
              "--loss-normalization sentences).");
}

void describe_stopping(OptionTable& table, OptimizationOptions& o) {
  table.field("max-epoch", o.max_epoch, "Stop training after this many epochs; 0 = no limit.")
      .at_least(0)
      .harmless();
  table.field("max-update", o.max_update, "Stop training after this many updates; 0 = no limit.")
      .at_least(0)
      .harmless();
  table
      .field("stop-time-hours",
             o.stop_time_hours,
             "Stop training this many hours after the start of this process; 0 = no limit.")
      .at_least(0.0)
      .harmless();
  table
      .field("stop-min-lr",
             o.stop_min_lr,
             "Stop training when the learning rate falls to this minimum; not checked while the "
             "rate rises, as in a warm-up.")
      .harmless();
  table
      .field("max-bad-updates",
             o.max_bad_updates,
             "Stop with exit code 7 after this many consecutive updates with a gradient that is "
             "not finite.")
      .at_least(1)
      .harmless();
}

}  // namespace

void OptimizationOptions::describe(OptionTable& table) {
  describe_batches(table, *this);
  describe_loss(table, *this);
  describe_stopping(table, *this);
}

std::vector<std::string> OptimizationOptions::problems() const {
  std::vector<std::string> found;
  if (batches.max_tokens == 0 && batches.batch_size == 0)
    found.push_back("--max-tokens or --batch-size is required");
  if (batches.max_tokens == BatchOptions::kAutomatic &&
      batches.batch_size == BatchOptions::kAutomatic)
    found.push_back("--max-tokens auto and --batch-size auto cannot be combined");
  if (update_freq.empty())
    found.push_back("--update-freq is empty");
  if (lr.empty())
    found.push_back("--lr is empty");
  return found;
}

}  // namespace phraseq

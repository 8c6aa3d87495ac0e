#include "core/train/train_options.h"

#include "core/data/joined/data_folders.h"

namespace phraseq {

void ComponentOptions::describe(OptionTable& table) {
  table.section("Components");
  table
      .field("data",
             data,
             "Data folder made by phraseq preprocess (or fairseq-preprocess). With several "
             "folders, separated by colons, each epoch uses the training set of one of them in "
             "turn.")
      .positional()
      .value_name("DATA")
      .required()
      .harmless();
  table
      .field("train-subset",
             train_subset,
             "Split to train on, together with its numbered parts (train1, train2 …); or several "
             "splits, separated by commas.")
      .value_name("NAME[,NAME]");
  table
      .field("arch",
             arch,
             "Name of an architecture or preset; 'phraseq plugins list --presets' shows all.")
      .short_flag("a")
      .required();
  table.field("task", task, "Name of the task.");
  table.field("criterion",
              criterion,
              "Name of the criterion; default: the criterion of the architecture, if it declares "
              "one.");
  table.field("optimizer", optimizer, "Name of the optimizer.");
  table.field("lr-scheduler", lr_scheduler, "Name of the learning rate scheduler.");
  table.field("metric", metric, "Name of the metric for validation with --eval-bleu.").harmless();
  plugins.describe(table);
}

namespace {

void describe_batches(OptionTable& table, OptimizationOptions& o) {
  table.section("Optimization");
  o.batches.describe_with_auto(table);
  table
      .field("update-freq",
             o.update_freq,
             "Number of batches per update; a list gives one value per epoch, the last value is "
             "used for all later epochs.")
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
      .at_least(0.0);
  table.field("clip-norm", o.clip_norm, "Clip threshold of the gradient norm; 0 = no clipping.")
      .at_least(0.0);
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
             "Metric for saving checkpoint_best: loss, nll_loss, or the name of the metric.")
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

std::vector<std::string> ValidationOptions::subsets() const {
  return listed_splits("valid-subset", valid_subset);
}

std::vector<std::string> ValidationOptions::problems() const {
  subsets();  // throws
  std::vector<std::string> found;
  if (!is_loss(best_checkpoint_metric) && !eval_bleu)
    found.push_back("--best-checkpoint-metric " + best_checkpoint_metric + " needs --eval-bleu");
  if (is_loss(best_checkpoint_metric) && maximize_best_checkpoint_metric)
    found.push_back("--maximize-best-checkpoint-metric would keep the worst checkpoint: a lower " +
                    best_checkpoint_metric + " is better");
  return found;
}

namespace {

void describe_files(OptionTable& table, CheckpointOptions& o) {
  table.section("Checkpoints");
  table
      .field("save-dir",
             o.save_dir,
             "Folder for checkpoints, metrics.jsonl and the manifest of the run.")
      .value_name("DIR")
      .harmless();
  table
      .field("restore-file",
             o.restore_file,
             "Checkpoint to resume from, a file name in --save-dir or a path. Without "
             "checkpoint_last (or checkpoint_best), training starts from scratch.")
      .harmless();
  table
      .field("finetune-from-model",
             o.finetune_from_model,
             "Start a new run from the parameters of this checkpoint.")
      .value_name("FILE")
      .harmless();
}

void describe_restoring(OptionTable& table, CheckpointOptions& o) {
  table
      .field("reset-optimizer",
             o.reset_optimizer,
             "Do not load the optimizer state from the checkpoint: updates are counted from 0, "
             "the learning rate schedule starts over, and the best score is not loaded.")
      .harmless();
  table
      .field("reset-lr-scheduler",
             o.reset_lr_scheduler,
             "Do not load the state of the learning rate scheduler from the checkpoint; its "
             "options and --lr may differ.")
      .harmless();
  table
      .field("reset-dataloader",
             o.reset_dataloader,
             "Do not load the dataloader state from the checkpoint: epochs are counted from 1.")
      .harmless();
  table
      .field("reset-meters",
             o.reset_meters,
             "Do not load the best score and the patience counter from the checkpoint.")
      .harmless();
  table
      .field("strict-resume",
             o.strict_resume,
             "Report an error if checkpoint_last is damaged, instead of resuming from an older "
             "checkpoint.")
      .harmless();
  table
      .field("allow-changed",
             o.allow_changed,
             "Names of options that may differ from the checkpoint when a run is resumed.")
      .harmless();
}

void describe_saving(OptionTable& table, CheckpointOptions& o) {
  table.field("save-interval", o.save_interval, "Save a checkpoint every N epochs.")
      .at_least(1)
      .harmless();
  table
      .field("save-interval-updates",
             o.save_interval_updates,
             "Also save a checkpoint every N updates; 0 = off.")
      .at_least(0)
      .harmless();
  table
      .field("keep-interval-updates",
             o.keep_interval_updates,
             "Keep the last N checkpoints saved with --save-interval-updates; -1 = all.")
      .at_least(-1)
      .harmless();
  table
      .field("keep-last-epochs", o.keep_last_epochs, "Keep the last N epoch checkpoints; -1 = all.")
      .at_least(-1)
      .harmless();
  table
      .field("keep-best-checkpoints",
             o.keep_best_checkpoints,
             "Keep the N best checkpoints by the metric; -1 = only checkpoint_best.")
      .at_least(-1)
      .harmless();
  table
      .field("no-epoch-checkpoints",
             o.no_epoch_checkpoints,
             "Only store checkpoint_last and checkpoint_best.")
      .harmless();
  table
      .field("no-last-checkpoints",
             o.no_last_checkpoints,
             "Do not store checkpoint_last; checkpoints of epochs, of --save-interval-updates and "
             "new best ones are saved.")
      .harmless();
}

void describe_contents(OptionTable& table, CheckpointOptions& o) {
  table.field("no-save", o.no_save, "Do not save checkpoints.").harmless();
  table
      .field("no-save-optimizer-state",
             o.no_save_optimizer_state,
             "Do not save the optimizer state in checkpoints; the run then cannot be resumed.")
      .harmless();
  table
      .field("save-failure",
             o.save_failure,
             kSaveFailureNames,
             "If a checkpoint cannot be saved: stop, or warn and continue.")
      .harmless();
}

}  // namespace

void CheckpointOptions::describe(OptionTable& table) {
  describe_files(table, *this);
  describe_restoring(table, *this);
  describe_saving(table, *this);
  describe_contents(table, *this);
}

/// Rejects two checkpoints to start from, of which fairseq would ignore one.
std::vector<std::string> CheckpointOptions::problems() const {
  if (finetune_from_model.empty() || restore_file == "checkpoint_last")
    return {};
  return {"--finetune-from-model starts a new run and --restore-file " + restore_file +
          " continues one: give one of them"};
}

namespace {

void describe_arithmetic(OptionTable& table, MachineOptions& o) {
  table.section("Machine and logging");
  table.field("seed", o.seed, "Random seed.").at_least(0);
  table.field("precision",
              o.precision,
              nn::kTrainingPrecisionNames,
              "Precision of matrix products and activations; auto = bf16 if the device supports "
              "it, otherwise fp32.");
  table.field("bf16", o.bf16, "The same as --precision bf16.");
  table.field("fp16", o.fp16, "The same as --precision fp16: with a dynamic loss scale.");
  o.loss_scale.describe(table);
  table
      .field("checkpoint-activations",
             o.checkpoint_activations,
             "Recompute the layers of Transformers in the backward pass instead of keeping their "
             "activations: less memory, about a third more time, the same result.")
      .harmless();
}

void describe_threads(OptionTable& table, MachineOptions& o) {
  table.field("threads", o.threads, "Number of threads; 0 = one per core.").in(0, 4096);
  table
      .field("batch-shares",
             o.batch_shares,
             "Number of shares of a batch that are computed at the same time, each by its part of "
             "--threads; 1 = threads work only within operators; 0 = determined by --threads and "
             "--max-tokens.")
      .in(0, 4096);
  table.field("data-buffer-size", o.data_buffer_size, "Number of batches to preload.")
      .in(1, 1000)
      .harmless();
}

void describe_logging(OptionTable& table, MachineOptions& o) {
  table
      .field("log-format",
             o.log_format,
             kLogFormatNames,
             "Log format: bar (fairseq: tqdm) = progress bar, simple = plain lines, json = JSON "
             "lines, none; auto = bar on a terminal, otherwise simple.")
      .harmless();
  table
      .field("log-interval",
             o.log_interval,
             "Log progress and write a record to metrics.jsonl every N updates.")
      .at_least(1)
      .harmless();
  table.field("log-file", o.log_file, "Also write the log to this file.")
      .value_name("FILE")
      .harmless();
  table
      .field("tensorboard-logdir",
             o.tensorboard_logdir,
             "Also write event files for TensorBoard to subfolders of this folder: train_inner, "
             "train, and the validation split.")
      .value_name("DIR")
      .harmless();
  table.field("no-plot", o.no_plot, "Do not write learning_curves.svg into --save-dir at the end.")
      .harmless();
  table
      .field("no-progress-bar",
             o.no_progress_bar,
             "Disable the progress bar (the same as --log-format simple).")
      .harmless();
  table.field("quiet", o.quiet, "Only log warnings and errors.").harmless();
}

}  // namespace

void MachineOptions::describe(OptionTable& table) {
  describe_arithmetic(table, *this);
  describe_threads(table, *this);
  describe_logging(table, *this);
}

std::vector<std::string> MachineOptions::problems() const {
  if (fp16 && bf16)
    return {"--fp16 and --bf16 cannot be combined"};
  return {};
}

}  // namespace phraseq

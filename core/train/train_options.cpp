#include "core/train/train_options.h"

namespace phraseq {

void ComponentOptions::describe(OptionTable& v) {
  v.section("Components");
  v.field("data", data, "Folder made by phraseq preprocess (or fairseq-preprocess).")
      .positional()
      .value_name("DATA")
      .required()
      .harmless();
  v.field("arch", arch, "Architecture or preset by name; phraseq plugins list shows all.")
      .short_flag("a")
      .required();
  v.field("task", task, "Task by name.");
  v.field("criterion",
          criterion,
          "Loss by name; the default is the architecture's own where it has one.");
  v.field("optimizer", optimizer, "Optimizer by name.");
  v.field("lr-scheduler", lr_scheduler, "Learning-rate schedule by name.");
  v.field("metric", metric, "Score of translated validation text by name.").harmless();
  v.field("plugin-dir", plugin_dir, "Further folders to load plugins from.").harmless();
}

void OptimisationOptions::describe(OptionTable& v) {
  v.section("Optimization");
  v.field("max-tokens", max_tokens, "Tokens in a batch, of the larger side, padding not counted.")
      .at_least(0);
  v.field("batch-size", batch_size, "Sentences in a batch; 0 = no limit.")
      .at_least(0)
      .alias("max-sentences");
  v.field("update-freq",
          update_freq,
          "Batches an update; a list gives one value an epoch, the last for the rest.")
      .at_least(1);
  v.field("accumulate-to-tokens",
          accumulate_to_tokens,
          "Gather batches until an update holds this many target tokens; 0 = use --update-freq.")
      .at_least(0);
  v.field("lr", lr, "Learning rate: the schedule's peak, or the constant.").at_least(0.0);
  v.field("clip-norm", clip_norm, "Scale gradients down to this norm; 0 = do not clip.")
      .at_least(0.0);
  v.field("loss-normalization", loss_normalization, "What an update's summed loss is divided by.")
      .one_of({"tokens", "sentences", "none"})
      .former_name("loss-normalisation");
  v.field("sentence-avg", sentence_avg, "The same as --loss-normalization sentences.");
  v.field("max-epoch", max_epoch, "End after this many epochs; 0 = no limit.")
      .at_least(0)
      .harmless();
  v.field("max-update", max_update, "End after this many updates; 0 = no limit.")
      .at_least(0)
      .harmless();
  v.field("stop-time-hours", stop_time_hours, "End when this run has taken so long; 0 = no limit.")
      .at_least(0.0)
      .harmless();
  v.field("stop-min-lr", stop_min_lr, "End when the learning rate falls to this value.").harmless();
  v.field("max-bad-updates",
          max_bad_updates,
          "Give up (exit 7) after this many updates in a row whose gradient is not finite.")
      .at_least(1)
      .harmless();
}

std::vector<std::string> OptimisationOptions::problems() const {
  std::vector<std::string> found;
  if (max_tokens == 0 && batch_size == 0)
    found.push_back("one of --max-tokens and --batch-size is needed");
  if (max_epoch == 0 && max_update == 0 && stop_time_hours == 0.0) {
    found.push_back("the run would never end: give --max-update, --max-epoch or --stop-time-hours");
  }
  if (update_freq.empty())
    found.push_back("--update-freq is empty");
  return found;
}

void ValidationOptions::describe(OptionTable& v) {
  v.section("Validation");
  v.field("valid-subset", valid_subset, "Name of the validation split.").harmless();
  v.field("disable-validation", disable_validation, "Never validate.").harmless();
  v.field("validate-interval", validate_interval, "Validate every so many epochs.")
      .at_least(1)
      .harmless();
  v.field("validate-interval-updates",
          validate_interval_updates,
          "Validate every so many updates; 0 = by epochs only.")
      .at_least(0)
      .harmless();
  v.field("validate-after-updates", validate_after_updates, "Do not validate before this update.")
      .at_least(0)
      .harmless();
  v.field("max-tokens-valid", max_tokens_valid, "Tokens in a validation batch; 0 = --max-tokens.")
      .at_least(0)
      .harmless();
  v.field("eval-bleu", eval_bleu, "Also translate the validation set and score it with --metric.")
      .harmless();
  v.field(
       "eval-bleu-args", eval_bleu_args, "Options of the beam decoder as JSON, e.g. {\"beam\": 1}.")
      .harmless();
  v.field("eval-bleu-remove-bpe",
          eval_bleu_remove_bpe,
          "Join the subwords of what --eval-bleu scores, where the data holds no subword model.")
      .one_of({"", "none", "subword_nmt", "sentencepiece", "wordpiece", "letter", "_EOW"})
      .bare_value("subword_nmt")
      .harmless();
  v.field(
       "eval-bleu-sentences", eval_bleu_sentences, "Translate only the first N sentences; 0 = all.")
      .at_least(0)
      .harmless();
  v.field("eval-bleu-print-samples",
          eval_bleu_print_samples,
          "Log so many translations beside their references.")
      .at_least(0)
      .harmless();
  v.field("best-checkpoint-metric",
          best_checkpoint_metric,
          "What checkpoint_best is chosen by: loss, nll_loss, or the metric's name.")
      .harmless();
  v.field("maximize-best-checkpoint-metric",
          maximize_best_checkpoint_metric,
          "Larger is better; a metric says it by itself.")
      .harmless();
  v.field("patience",
          patience,
          "End after so many validations in a row without a better one; 0 or -1 = never.")
      .at_least(-1)
      .harmless();
}

bool ValidationOptions::is_loss(std::string_view metric) {
  return metric == "loss" || metric == "nll_loss";
}

std::vector<std::string> ValidationOptions::problems() const {
  if (is_loss(best_checkpoint_metric) || eval_bleu)
    return {};
  return {"--best-checkpoint-metric " + best_checkpoint_metric + " needs --eval-bleu"};
}

void CheckpointOptions::describe(OptionTable& v) {
  v.section("Checkpoints");
  v.field("save-dir", save_dir, "Folder of checkpoints, metrics and the run's manifest.")
      .value_name("DIR")
      .harmless();
  v.field("restore-file",
          restore_file,
          "Checkpoint to go on from, in --save-dir unless it is a path; none there = start anew.")
      .harmless();
  v.field(
       "finetune-from-model", finetune_from_model, "Start anew from this checkpoint's parameters.")
      .value_name("FILE")
      .harmless();
  v.field("reset-optimizer", reset_optimizer, "Do not restore the optimizer's state.").harmless();
  v.field("reset-dataloader", reset_dataloader, "Do not restore the place in the data.").harmless();
  v.field("reset-meters", reset_meters, "Do not restore best score and patience.").harmless();
  v.field("strict-resume",
          strict_resume,
          "A damaged checkpoint_last is an error instead of a reason to take an older one.")
      .harmless();
  v.field("allow-changed",
          allow_changed,
          "Names of options that may differ from the checkpoint's at resume.")
      .harmless();
  v.field("save-interval", save_interval, "Save every so many epochs.").at_least(1).harmless();
  v.field("save-interval-updates",
          save_interval_updates,
          "Save every so many updates; 0 = by epochs only.")
      .at_least(0)
      .harmless();
  v.field("keep-interval-updates",
          keep_interval_updates,
          "Keep the last N saved by updates; -1 = all.")
      .at_least(-1)
      .harmless();
  v.field("keep-last-epochs", keep_last_epochs, "Keep the last N saved by epochs; -1 = all.")
      .at_least(-1)
      .harmless();
  v.field("keep-best-checkpoints",
          keep_best_checkpoints,
          "Also keep the N best by the metric; -1 = only checkpoint_best.")
      .at_least(-1)
      .harmless();
  v.field("no-epoch-checkpoints",
          no_epoch_checkpoints,
          "Keep only checkpoint_last and checkpoint_best.")
      .harmless();
  v.field("no-last-checkpoints", no_last_checkpoints, "Save nothing but better checkpoints.")
      .harmless();
  v.field("no-save", no_save, "Write no checkpoints.").harmless();
  v.field("no-save-optimizer-state",
          no_save_optimizer_state,
          "Leave the optimizer's state out: the run cannot be resumed.")
      .harmless();
  v.field("save-failure",
          save_failure,
          "When a checkpoint cannot be written: stop, or warn and go on.")
      .one_of({"stop", "warn"})
      .harmless();
}

void MachineOptions::describe(OptionTable& v) {
  v.section("Machine and logging");
  v.field("seed", seed, "Seed of everything random.").at_least(0);
  v.field("cpu", cpu, "Use the CPU even when there is a GPU.");
  v.field("precision", precision, "Arithmetic of products and activations.")
      .one_of({"fp32", "bf16"});
  v.field("bf16", bf16, "The same as --precision bf16.");
  v.field("threads", threads, "Threads of one operator; 0 = one a core.").at_least(0);
  v.field("data-buffer-size", data_buffer_size, "Batches made ahead.").in(1, 1000).harmless();
  v.field("log-format", log_format, "bar on a terminal, simple lines, json lines, or none.")
      .one_of({"auto", "bar", "simple", "json", "none"})
      .harmless();
  v.field(
       "log-interval", log_interval, "Updates between two lines and two records of metrics.jsonl.")
      .at_least(1)
      .harmless();
  v.field("log-file", log_file, "Also write the log here.").value_name("FILE").harmless();
  v.field("no-progress-bar", no_progress_bar, "The same as --log-format simple.").harmless();
  v.field("quiet", quiet, "Only warnings and errors.").harmless();
}

}  // namespace phraseq

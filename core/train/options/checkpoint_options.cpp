#include "core/train/options/checkpoint_options.h"

namespace phraseq {
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
             "Checkpoint to resume from, a file name in --save-dir or a path. Training starts from "
             "scratch if --save-dir has no checkpoints.")
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
}

void describe_retention(OptionTable& table, CheckpointOptions& o) {
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
             "Do not store checkpoint_last; epoch checkpoints, those of --save-interval-updates, "
             "and new best ones are still saved.")
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
  describe_retention(table, *this);
  describe_contents(table, *this);
}

/// Rejects two checkpoints to start from; fairseq would ignore one of them.
std::vector<std::string> CheckpointOptions::problems() const {
  if (finetune_from_model.empty() || restore_file == "checkpoint_last")
    return {};
  return {"--finetune-from-model starts a new run and --restore-file " + restore_file +
          " continues one: give one of them"};
}

}  // namespace phraseq

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The reaction to a checkpoint that cannot be saved.
enum class SaveFailure { kStop, kWarn };
inline constexpr EnumName<SaveFailure> kSaveFailureNames[] = {{"stop", SaveFailure::kStop},
                                                              {"warn", SaveFailure::kWarn}};

/// Which checkpoints to read at the start, to write, and to keep.
struct PHRASEQ_API CheckpointOptions : Options {
  std::string save_dir = "checkpoints";          ///< folder
  std::string restore_file = "checkpoint_last";  ///< name in save_dir, or path
  std::string finetune_from_model;               ///< path; empty = start from scratch or resume
  bool reset_optimizer = false;                  ///< also resets the updates and the best score
  bool reset_lr_scheduler = false;
  bool reset_dataloader = false;           ///< also resets the epochs
  bool reset_meters = false;               ///< the best score and the patience counter
  bool strict_resume = false;              ///< no fallback for a damaged checkpoint_last
  std::vector<std::string> allow_changed;  ///< names of options that may differ at resume
  int64_t save_interval = 1;               ///< epochs
  int64_t save_interval_updates = 0;       ///< updates; 0 = off
  int64_t keep_interval_updates = -1;      ///< checkpoints; -1 = all
  int64_t keep_last_epochs = -1;           ///< checkpoints; -1 = all
  int64_t keep_best_checkpoints = -1;      ///< checkpoints; -1 = only checkpoint_best
  bool no_epoch_checkpoints = false;
  bool no_last_checkpoints = false;
  bool no_save = false;
  bool no_save_optimizer_state = false;
  SaveFailure save_failure = SaveFailure::kStop;
  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

}  // namespace phraseq

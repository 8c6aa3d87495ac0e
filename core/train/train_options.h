#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/nn/precision/precision_option.h"
#include "core/optim/loss_scale/loss_scaler.h"
#include "core/options/batch_options.h"
#include "core/options/option_table.h"
#include "core/plugin/plugin_options.h"
#include "core/translate/post_process.h"

namespace phraseq {

/// What the loss of an update is divided by.
enum class LossNormalization { kTokens, kSentences, kNone };
/// What a run does when it cannot save a checkpoint.
enum class SaveFailure { kStop, kWarn };
/// kTqdm is fairseq's name of kBar.
enum class LogFormat { kAuto, kBar, kSimple, kJson, kNone, kTqdm };

inline constexpr EnumName<LossNormalization> kLossNormalizationNames[] = {
    {"tokens", LossNormalization::kTokens},
    {"sentences", LossNormalization::kSentences},
    {"none", LossNormalization::kNone}};
inline constexpr EnumName<SaveFailure> kSaveFailureNames[] = {{"stop", SaveFailure::kStop},
                                                              {"warn", SaveFailure::kWarn}};
inline constexpr EnumName<LogFormat> kLogFormatNames[] = {{"auto", LogFormat::kAuto},
                                                          {"bar", LogFormat::kBar},
                                                          {"simple", LogFormat::kSimple},
                                                          {"json", LogFormat::kJson},
                                                          {"none", LogFormat::kNone},
                                                          {"tqdm", LogFormat::kTqdm}};

/// Which components a run is put together from; their own options are described beside these.
struct PHRASEQ_API ComponentOptions : Options {
  std::string data;  ///< a folder, or several: A:B:C
  std::string train_subset = "train";
  std::string arch;
  std::string task = "translation";
  std::string criterion = "cross_entropy";
  std::string optimizer = "adam";
  std::string lr_scheduler = "inverse_sqrt";
  std::string metric = "bleu";
  PluginOptions plugins;
  void describe(OptionTable& table) override;
};

/// What one update is made of, and when to end.
struct PHRASEQ_API OptimizationOptions : Options {
  BatchOptions batches;
  std::vector<int64_t> update_freq = {1};
  int64_t accumulate_to_tokens = 0;
  std::vector<double> lr = {5e-4};
  double clip_norm = 0.0;
  bool sentence_avg = false;
  LossNormalization loss_normalization = LossNormalization::kTokens;
  int64_t max_epoch = 0;
  int64_t max_update = 0;
  double stop_time_hours = 0.0;
  double stop_min_lr = -1.0;
  int64_t max_bad_updates = 10;
  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// When and how the validation sets are looked at.
struct PHRASEQ_API ValidationOptions : Options {
  std::string valid_subset = "valid";
  bool disable_validation = false;
  int64_t validate_interval = 1;
  int64_t validate_interval_updates = 0;
  int64_t validate_after_updates = 0;
  int64_t max_tokens_valid = 0;
  bool eval_bleu = false;
  std::string eval_bleu_args = "{}";
  PostProcess eval_bleu_remove_bpe = PostProcess::kNotGiven;
  int64_t eval_bleu_sentences = 0;
  int64_t eval_bleu_print_samples = 0;
  std::string best_checkpoint_metric = "loss";
  bool maximize_best_checkpoint_metric = false;
  int64_t patience = -1;
  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;

  /// The splits of --valid-subset. The first one decides which checkpoint is the best. Throws
  /// UsageError for an empty or repeated name.
  std::vector<std::string> subsets() const;

  /// The losses that a validation reports; every other metric is the score of the translated text.
  static bool is_loss(std::string_view metric);
};

/// Which checkpoints are written, kept, and read at the start.
struct PHRASEQ_API CheckpointOptions : Options {
  std::string save_dir = "checkpoints";
  std::string restore_file = "checkpoint_last";
  std::string finetune_from_model;
  bool reset_optimizer = false;
  bool reset_lr_scheduler = false;
  bool reset_dataloader = false;
  bool reset_meters = false;
  bool strict_resume = false;
  std::vector<std::string> allow_changed;
  int64_t save_interval = 1;
  int64_t save_interval_updates = 0;
  int64_t keep_interval_updates = -1;
  int64_t keep_last_epochs = -1;
  int64_t keep_best_checkpoints = -1;
  bool no_epoch_checkpoints = false;
  bool no_last_checkpoints = false;
  bool no_save = false;
  bool no_save_optimizer_state = false;
  SaveFailure save_failure = SaveFailure::kStop;
  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// Arithmetic, threads, seed, logging.
struct PHRASEQ_API MachineOptions : Options {
  int64_t seed = 1;
  nn::TrainingPrecision precision = nn::TrainingPrecision::kFp32;
  bool bf16 = false;
  bool fp16 = false;
  LossScaleOptions loss_scale;
  bool checkpoint_activations = false;
  int64_t threads = 0;
  int64_t batch_shares = 0;
  int64_t data_buffer_size = 10;
  LogFormat log_format = LogFormat::kAuto;
  int64_t log_interval = 100;
  std::string log_file;
  std::string tensorboard_logdir;
  bool no_plot = false;
  bool no_progress_bar = false;
  bool quiet = false;
  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

}  // namespace phraseq

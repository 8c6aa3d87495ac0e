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

/// The number that the loss of an update is divided by.
enum class LossNormalization { kTokens, kSentences, kNone };
/// The reaction to a checkpoint that cannot be saved.
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

/// The data and the components of a run. The components describe their own options.
struct PHRASEQ_API ComponentOptions : Options {
  std::string data;                    ///< one or several folders: A:B:C
  std::string train_subset = "train";  ///< one or several splits: train,extra
  std::string arch;                    ///< architecture or preset
  std::string task = "translation";
  std::string criterion = "cross_entropy";
  std::string optimizer = "adam";
  std::string lr_scheduler = "inverse_sqrt";
  std::string metric = "bleu";  ///< for --eval-bleu
  PluginOptions plugins;
  void describe(OptionTable& table) override;
};

/// The size of an update, the learning rate, and the stop limits.
struct PHRASEQ_API OptimizationOptions : Options {
  BatchOptions batches;
  std::vector<int64_t> update_freq = {1};  ///< batches per update, indexed by epoch
  int64_t accumulate_to_tokens = 0;        ///< target tokens per update; 0 = use update_freq
  std::vector<double> lr = {5e-4};         ///< peak of the schedule, or one value per epoch
  double clip_norm = 0.0;                  ///< largest gradient norm; 0 = no clipping
  bool sentence_avg = false;               ///< the same as LossNormalization::kSentences
  LossNormalization loss_normalization = LossNormalization::kTokens;
  int64_t max_epoch = 0;         ///< epochs; 0 = no limit
  int64_t max_update = 0;        ///< updates; 0 = no limit
  double stop_time_hours = 0.0;  ///< hours since the process started; 0 = no limit
  double stop_min_lr = -1.0;     ///< stop at this learning rate; < 0 = no limit
  int64_t max_bad_updates = 10;  ///< consecutive updates without a finite gradient
  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// When and how the model is validated.
struct PHRASEQ_API ValidationOptions : Options {
  std::string valid_subset = "valid";  ///< splits, separated by commas
  bool disable_validation = false;
  int64_t validate_interval = 1;          ///< epochs
  int64_t validate_interval_updates = 0;  ///< updates; 0 = off
  int64_t validate_after_updates = 0;     ///< no validation before this update
  int64_t max_tokens_valid = 0;           ///< tokens per batch; 0 = as in training
  bool eval_bleu = false;                 ///< also translate and compute the metric
  std::string eval_bleu_args = "{}";      ///< options of beam search, JSON
  PostProcess eval_bleu_remove_bpe = PostProcess::kNotGiven;
  int64_t eval_bleu_sentences = 0;              ///< sentences to translate; 0 = all
  int64_t eval_bleu_print_samples = 0;          ///< translations to log
  std::string best_checkpoint_metric = "loss";  ///< loss, nll_loss, or the name of the metric
  bool maximize_best_checkpoint_metric = false;
  int64_t patience = -1;  ///< validations without a better result; <= 0 = no limit
  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;

  /// The splits of --valid-subset. The first one decides which checkpoint is the best. Throws
  /// UsageError for an empty or repeated name.
  std::vector<std::string> subsets() const;

  /// True for a loss that validation reports; every other metric scores the translated text.
  static bool is_loss(std::string_view metric);
};

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

/// Arithmetic, threads, seed and logging.
struct PHRASEQ_API MachineOptions : Options {
  int64_t seed = 1;
  nn::TrainingPrecision precision = nn::TrainingPrecision::kFp32;
  bool bf16 = false;                    ///< the same as precision = kBf16
  bool fp16 = false;                    ///< the same as precision = kFp16
  LossScaleOptions loss_scale;          ///< with fp16
  bool checkpoint_activations = false;  ///< recompute activations in the backward pass
  int64_t threads = 0;                  ///< 0 = one per core
  int64_t batch_shares = 0;             ///< shares computed at once; 0 = automatic
  int64_t data_buffer_size = 10;        ///< batches to preload
  LogFormat log_format = LogFormat::kAuto;
  int64_t log_interval = 100;      ///< updates
  std::string log_file;            ///< path; empty = none
  std::string tensorboard_logdir;  ///< folder; empty = none
  bool no_plot = false;            ///< no learning_curves.svg
  bool no_progress_bar = false;
  bool quiet = false;  ///< log warnings and errors only
  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

}  // namespace phraseq

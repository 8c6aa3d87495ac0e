#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/nn/precision/precision_option.h"
#include "core/optim/loss_scale/loss_scaler.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The format of the log; kTqdm is fairseq's name for kBar.
enum class LogFormat { kAuto, kBar, kSimple, kJson, kNone, kTqdm };
inline constexpr EnumName<LogFormat> kLogFormatNames[] = {{"auto", LogFormat::kAuto},
                                                          {"bar", LogFormat::kBar},
                                                          {"simple", LogFormat::kSimple},
                                                          {"json", LogFormat::kJson},
                                                          {"none", LogFormat::kNone},
                                                          {"tqdm", LogFormat::kTqdm}};

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
  bool plot = true;                ///< learning_curves.svg
  bool no_progress_bar = false;
  bool quiet = false;  ///< log warnings and errors only
  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

}  // namespace phraseq

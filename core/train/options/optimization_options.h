#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/batch_options.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The number that the loss of an update is divided by.
enum class LossNormalization { kTokens, kSentences, kNone };
inline constexpr EnumName<LossNormalization> kLossNormalizationNames[] = {
    {"tokens", LossNormalization::kTokens},
    {"sentences", LossNormalization::kSentences},
    {"none", LossNormalization::kNone}};

/// The size of an update, the learning rate, and the stop limits.
struct PHRASEQ_API OptimizationOptions : Options {
  BatchOptions batches;
  std::vector<int64_t> update_freq = {1};  ///< batches per update, indexed by epoch
  int64_t accumulate_to_tokens = 0;        ///< target tokens per update; 0 = use update_freq
  std::vector<double> lr = {5e-4};         ///< peak of the schedule, or one value per epoch
  double clip_norm = 0.0;                  ///< largest gradient norm; not above 0 = no clipping
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

}  // namespace phraseq

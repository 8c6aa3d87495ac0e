#pragma once

#include <cstdint>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The formulas of LengthCap.
enum class LengthCapForm { kLinear, kNeutron };

inline constexpr EnumName<LengthCapForm> kLengthCapFormNames[] = {
    {"linear", LengthCapForm::kLinear}, {"neutron", LengthCapForm::kNeutron}};

/// The limit on the length of a translation. It depends on the length of its own source, never on
/// the rest of the batch.
///
/// `linear`: ⌊a · x + b⌋ tokens, then </s> (fairseq's; a = 1, b = 99 is tensor2tensor's T + 100,
/// which counts </s>). `neutron`: x + max(64, ⌊x / 4⌋), including </s>. x counts the source's
/// special tokens.
struct LengthCap {
  LengthCapForm form = LengthCapForm::kLinear;
  double a = 0;
  double b = 200;

  /// Returns the number of tokens after which only </s> is allowed: from 0 to `model_limit - 1`.
  PHRASEQ_API int64_t max_length(int64_t source_length, int64_t model_limit) const;
};

/// The formulas of LengthPenalty.
enum class LengthPenaltyForm { kPower, kWu, kNone };

inline constexpr EnumName<LengthPenaltyForm> kLengthPenaltyFormNames[] = {
    {"power", LengthPenaltyForm::kPower},
    {"wu", LengthPenaltyForm::kWu},
    {"none", LengthPenaltyForm::kNone}};

/// Turns the log-probability of a hypothesis into its score. `length` counts </s>.
///
/// `power`: logp / length^alpha (fairseq's --lenpen). `wu`: logp / ((5 + length) / 6)^alpha (Wu et
/// al. 2016, eq. 14). `none`: logp.
struct LengthPenalty {
  LengthPenaltyForm form = LengthPenaltyForm::kPower;
  double alpha = 1;

  PHRASEQ_API double score(double log_probability, int64_t length) const;
};

}  // namespace phraseq

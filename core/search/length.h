#pragma once

#include <cstdint>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

enum class LengthCapForm { kLinear, kNeutron };

inline constexpr EnumName<LengthCapForm> kLengthCapFormNames[] = {
    {"linear", LengthCapForm::kLinear}, {"neutron", LengthCapForm::kNeutron}};

/// How long a translation may be, from its own source's length (never the batch's: a translation
/// does not depend on its batch-mates).
///
/// `linear`: ⌊a · x + b⌋ tokens, then </s> (fairseq's; a = 1, b = 99 is tensor2tensor's T + 100
/// with </s> counted). `neutron`: x + max(64, ⌊x / 4⌋) with </s> counted. x counts the source's
/// special tokens.
struct LengthCap {
  LengthCapForm form = LengthCapForm::kLinear;
  double a = 0;
  double b = 200;

  /// Tokens before </s>; at this step only </s> is allowed. At most `model_limit - 1`, at least 0.
  PHRASEQ_API int64_t max_length(int64_t source_length, int64_t model_limit) const;
};

enum class LengthPenaltyForm { kPower, kWu, kNone };

inline constexpr EnumName<LengthPenaltyForm> kLengthPenaltyFormNames[] = {
    {"power", LengthPenaltyForm::kPower},
    {"wu", LengthPenaltyForm::kWu},
    {"none", LengthPenaltyForm::kNone}};

/// How a hypothesis's log-probability becomes its score. `length` counts </s>.
///
/// `power`: logp / length^alpha (fairseq's --lenpen). `wu`: logp / ((5 + length) / 6)^alpha (Wu et
/// al. 2016, eq. 14). `none`: logp.
struct LengthPenalty {
  LengthPenaltyForm form = LengthPenaltyForm::kPower;
  double alpha = 1;

  PHRASEQ_API double score(double log_probability, int64_t length) const;
};

}  // namespace phraseq

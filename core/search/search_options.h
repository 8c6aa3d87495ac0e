#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/search/constraints.h"
#include "core/search/length.h"

namespace phraseq {

/// The largest penalty of a token, for which the scores of translations are still finite.
inline constexpr double kMaxPenalty = 1e20;

/// The options that all searches have, under fairseq's names.
struct PHRASEQ_API SearchOptions : Options {
  LengthCap length_cap;
  LengthPenalty length_penalty;
  ConstraintSettings constraints;
  bool unnormalized = false;  ///< rank by log-probability, whatever the length
  int64_t prefix_size = 0;    ///< tokens of the reference that are forced
  double temperature = 1;     ///< probabilities ∝ p^(1 / temperature)

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;

  /// Returns the score that ranks a finished hypothesis of `length` tokens with </s>.
  double score(double log_probability, int64_t length) const;
};

}  // namespace phraseq

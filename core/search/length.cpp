#include "core/search/length.h"

#include <algorithm>
#include <cmath>

namespace phraseq {

int64_t LengthCap::max_length(int64_t source_length, int64_t model_limit) const {
  const auto x = static_cast<double>(source_length);
  const double wanted =
      form == LengthCapForm::kNeutron
          ? static_cast<double>(source_length + std::max<int64_t>(64, source_length / 4) - 1)
          : std::floor(a * x + b);
  const auto limit = static_cast<double>(model_limit - 1);
  return static_cast<int64_t>(std::max(0.0, std::min(wanted, limit)));
}

double LengthPenalty::score(double log_probability, int64_t length) const {
  const auto n = static_cast<double>(length);
  switch (form) {
    case LengthPenaltyForm::kPower:
      return log_probability / std::pow(n, alpha);
    case LengthPenaltyForm::kWu:
      return log_probability / std::pow((5 + n) / 6, alpha);
    case LengthPenaltyForm::kNone:
      break;
  }
  return log_probability;
}

}  // namespace phraseq

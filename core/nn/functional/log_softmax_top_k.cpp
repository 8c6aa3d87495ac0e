#include "core/nn/functional/log_softmax_top_k.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/nn/kernels/kernels.h"

namespace phraseq {
namespace {

using nn::kernels::kScoreBlock;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

int64_t block_count(int64_t size) { return (size + kScoreBlock - 1) / kScoreBlock; }

template <class Number>
const nn::kernels::Kernels<Number>& kernels() {
  return nn::kernels::kernels<Number>(nn::kernels::best_level());
}

template <class Number>
struct Maxima {
  std::vector<Number> of_block;
  Number highest = -std::numeric_limits<Number>::infinity();
  bool usable = false;  ///< no NaN, no +infinity, something above -infinity
};

template <class Number>
Maxima<Number> find_maxima(std::span<const Number> scores) {
  Maxima<Number> maxima;
  const auto size = static_cast<int64_t>(scores.size());
  maxima.of_block.resize(static_cast<size_t>(block_count(size)));
  const bool bad = kernels<Number>().block_maxima(scores.data(), size, maxima.of_block.data());
  for (const Number block : maxima.of_block) maxima.highest = std::max(maxima.highest, block);
  maxima.usable = !bad && maxima.highest > -std::numeric_limits<Number>::infinity();
  return maxima;
}

template <class Number>
double normalizer(std::span<const Number> scores, const Maxima<Number>& maxima) {
  if (!maxima.usable)
    return std::numeric_limits<double>::quiet_NaN();
  const auto size = static_cast<int64_t>(scores.size());
  return static_cast<double>(maxima.highest) +
         std::log(kernels<Number>().shifted_sum(scores.data(), size, maxima.highest));
}

/// A lower bound that at least `count` columns reach: the count-th greatest of the blocks' maxima.
template <class Number>
Number lower_bound_of_best(const std::vector<Number>& maxima, size_t count) {
  if (count > maxima.size())
    return -std::numeric_limits<Number>::infinity();
  std::vector<Number> sorted = maxima;
  const auto place = sorted.begin() + static_cast<int64_t>(count) - 1;
  std::nth_element(sorted.begin(), place, sorted.end(), std::greater<>());
  return *place;
}

bool is_edited(std::span<const ScoreEdit> edits, int64_t column) {
  return std::any_of(
      edits.begin(), edits.end(), [&](const ScoreEdit& edit) { return edit.column == column; });
}

/// Adds a column unless it is impossible.
void offer(std::vector<RankedColumn>& found, double log_probability, int64_t column) {
  if (log_probability > -kInfinity)
    found.push_back({log_probability, column});
}

/// Adds the unedited columns that reach `bound`, searching only blocks whose maximum does.
template <class Number>
void collect(std::span<const Number> scores,
             const Maxima<Number>& maxima,
             Number bound,
             double norm,
             std::span<const ScoreEdit> edits,
             std::vector<RankedColumn>& found) {
  const auto size = static_cast<int64_t>(scores.size());
  for (int64_t begin = 0; begin < size; begin += kScoreBlock) {
    if (maxima.of_block[static_cast<size_t>(begin / kScoreBlock)] < bound)
      continue;
    for (int64_t column = begin; column < std::min(begin + kScoreBlock, size); ++column) {
      const Number score = scores[static_cast<size_t>(column)];
      if (score < bound || is_edited(edits, column))
        continue;
      offer(found, static_cast<double>(score) - norm, column);
    }
  }
}

template <class Number>
double best_columns(std::span<const Number> scores,
                    int64_t k,
                    std::span<const ScoreEdit> edits,
                    bool normalized,
                    std::vector<RankedColumn>& best) {
  best.clear();
  const Maxima<Number> maxima = find_maxima(scores);
  const double norm = normalized && maxima.usable ? 0.0 : normalizer(scores, maxima);
  if (std::isnan(norm))
    return norm;
  for (const ScoreEdit& edit : edits) {
    const auto score = static_cast<double>(scores[static_cast<size_t>(edit.column)]);
    offer(best, score - norm + edit.change, edit.column);
  }
  const auto wanted = static_cast<size_t>(k);
  collect(scores,
          maxima,
          lower_bound_of_best(maxima.of_block, wanted + edits.size()),
          norm,
          edits,
          best);
  keep_best(best, k);
  return norm;
}

}  // namespace

double log_sum_exp(std::span<const float> scores) {
  return normalizer(scores, find_maxima(scores));
}
double log_sum_exp(std::span<const double> scores) {
  return normalizer(scores, find_maxima(scores));
}

double log_softmax_top_k(std::span<const float> scores,
                         int64_t k,
                         std::span<const ScoreEdit> edits,
                         bool normalized,
                         std::vector<RankedColumn>& best) {
  return best_columns(scores, k, edits, normalized, best);
}

double log_softmax_top_k(std::span<const double> scores,
                         int64_t k,
                         std::span<const ScoreEdit> edits,
                         bool normalized,
                         std::vector<RankedColumn>& best) {
  return best_columns(scores, k, edits, normalized, best);
}

}  // namespace phraseq

#include "core/nn/functional/log_softmax_top_k.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/nn/kernels/exponential.h"
#include "core/nn/kernels/vector_clones.h"

namespace phraseq {

namespace {

constexpr int64_t kBlock = 64;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

int64_t block_count(int64_t size) { return (size + kBlock - 1) / kBlock; }

/// The maximum of each block; true when a NaN or +infinity was seen.
template <class Number>
PHRASEQ_INLINE bool block_maxima(const Number* scores, int64_t size, Number* maxima) {
  constexpr Number kHighest = std::numeric_limits<Number>::max();
  Number bad = 0;  // counted in the vectors' own type
  for (int64_t begin = 0; begin < size; begin += kBlock) {
    const int64_t count = std::min(kBlock, size - begin);
    const Number* block = scores + begin;
    Number highest = -std::numeric_limits<Number>::infinity();
#pragma omp simd reduction(max : highest) reduction(+ : bad)
    for (int64_t i = 0; i < count; ++i) {
      highest = block[i] > highest ? block[i] : highest;
      bad += block[i] <= kHighest ? Number{0} : Number{1};
    }
    maxima[begin / kBlock] = highest;
  }
  return bad > 0;
}

/// Σ e^(score - highest): a block in the scores' precision, blocks in double.
template <class Number>
PHRASEQ_INLINE double shifted_sum(const Number* scores, int64_t size, Number highest) {
  double total = 0;
  for (int64_t begin = 0; begin < size; begin += kBlock) {
    const int64_t count = std::min(kBlock, size - begin);
    const Number* block = scores + begin;
    Number sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < count; ++i) sum += nn::exponential(block[i] - highest);
    total += static_cast<double>(sum);
  }
  return total;
}

PHRASEQ_VECTOR_CLONES bool block_maxima_of(const float* scores, int64_t size, float* maxima) {
  return block_maxima(scores, size, maxima);
}
PHRASEQ_VECTOR_CLONES bool block_maxima_of(const double* scores, int64_t size, double* maxima) {
  return block_maxima(scores, size, maxima);
}
PHRASEQ_VECTOR_CLONES double shifted_sum_of(const float* scores, int64_t size, float highest) {
  return shifted_sum(scores, size, highest);
}
PHRASEQ_VECTOR_CLONES double shifted_sum_of(const double* scores, int64_t size, double highest) {
  return shifted_sum(scores, size, highest);
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
  const bool bad = block_maxima_of(scores.data(), size, maxima.of_block.data());
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
         std::log(shifted_sum_of(scores.data(), size, maxima.highest));
}

/// A score that at least `count` columns reach: the count-th greatest of the blocks' maxima.
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

/// Adds a column that is possible at all.
void offer(std::vector<RankedColumn>& found, double log_probability, int64_t column) {
  if (log_probability > -kInfinity)
    found.push_back({log_probability, column});
}

/// Adds the unedited columns that reach `bound`, looking only into blocks that do.
template <class Number>
void collect(std::span<const Number> scores,
             const Maxima<Number>& maxima,
             Number bound,
             double norm,
             std::span<const ScoreEdit> edits,
             std::vector<RankedColumn>& found) {
  const auto size = static_cast<int64_t>(scores.size());
  for (int64_t begin = 0; begin < size; begin += kBlock) {
    if (maxima.of_block[static_cast<size_t>(begin / kBlock)] < bound)
      continue;
    for (int64_t column = begin; column < std::min(begin + kBlock, size); ++column) {
      const Number score = scores[static_cast<size_t>(column)];
      if (score < bound || is_edited(edits, column))
        continue;
      offer(found, static_cast<double>(score) - norm, column);
    }
  }
}

void keep_best(std::vector<RankedColumn>& found, size_t count) {
  const auto kept = std::min(count, found.size());
  const auto middle = found.begin() + static_cast<int64_t>(kept);
  std::partial_sort(
      found.begin(), middle, found.end(), [](const RankedColumn& a, const RankedColumn& b) {
        return ranks_before(a, b);
      });
  found.resize(kept);
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
  keep_best(best, wanted);
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

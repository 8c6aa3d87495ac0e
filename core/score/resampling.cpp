#include "core/score/resampling.h"

#include <algorithm>
#include <cmath>

#include "core/score/pcg64.h"

namespace phraseq::score {
namespace {

/// Draws are made one after the other, scores in parallel: a block of draws is in memory at a time.
constexpr int64_t kBlock = 256;

/// `draw()` makes the next number; `score(sample, numbers)` uses the `per_sample` numbers of a
/// sample.
template <class Number, class Draw, class Score>
void in_blocks(int64_t samples, size_t per_sample, int threads, Draw draw, Score score) {
  std::vector<Number> numbers;
  for (int64_t begin = 0; begin < samples; begin += kBlock) {
    const auto count = static_cast<size_t>(std::min(kBlock, samples - begin));
    numbers.resize(count * per_sample);
    for (auto& number : numbers) number = draw();
    in_parallel(count, threads, [&](size_t first, size_t last) {
      for (size_t at = first; at < last; ++at) {
        score(static_cast<size_t>(begin) + at,
              std::span(numbers).subspan(at * per_sample, per_sample));
      }
    });
  }
}

}  // namespace

std::vector<double> bootstrap_scores(const CorpusMetric& metric,
                                     const Statistics& statistics,
                                     int64_t samples,
                                     uint64_t seed,
                                     int threads) {
  const std::vector<float> rows(statistics.values.begin(), statistics.values.end());
  const size_t columns = statistics.columns;
  const size_t sentences = statistics.sentences();
  std::vector<double> scores(static_cast<size_t>(samples));
  Pcg64 generator(seed);
  in_blocks<uint32_t>(
      samples,
      sentences,
      threads,
      [&] { return generator.below(sentences); },
      [&](size_t sample, std::span<const uint32_t> drawn) {
        std::vector<float> sums(columns, 0.0F);
        for (const uint32_t sentence : drawn) {
          const float* row = &rows[sentence * columns];
          for (size_t column = 0; column < columns; ++column) sums[column] += row[column];
        }
        scores[sample] = metric.score(std::span<const float>(sums));
      });
  return scores;
}

std::vector<double> randomized_differences(const CorpusMetric& metric,
                                           const Statistics& first,
                                           const Statistics& second,
                                           int64_t trials,
                                           uint64_t seed,
                                           int threads) {
  const size_t columns = first.columns;
  const auto first_sums = first.sums();
  const auto second_sums = second.sums();
  std::vector<double> exchange(first.values.size());
  for (size_t at = 0; at < exchange.size(); ++at)
    exchange[at] = first.values[at] - second.values[at];

  std::vector<double> differences(static_cast<size_t>(trials));
  Pcg64 generator(seed);
  RandomBits bits(generator);
  in_blocks<uint8_t>(
      trials,
      first.sentences(),
      threads,
      [&] { return static_cast<uint8_t>(bits.next()); },
      [&](size_t trial, std::span<const uint8_t> from_first) {
        std::vector<double> one = second_sums;
        for (size_t sentence = 0; sentence < from_first.size(); ++sentence) {
          if (from_first[sentence] == 0)
            continue;
          const double* row = &exchange[sentence * columns];
          for (size_t column = 0; column < columns; ++column) one[column] += row[column];
        }
        std::vector<double> other(columns);
        for (size_t column = 0; column < columns; ++column) {
          other[column] = first_sums[column] + second_sums[column] - one[column];
        }
        differences[trial] = std::abs(metric.score(std::span<const double>(one)) -
                                      metric.score(std::span<const double>(other)));
      });
  return differences;
}

}  // namespace phraseq::score

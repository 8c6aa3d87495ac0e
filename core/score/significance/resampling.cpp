#include "core/score/significance/resampling.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/score/significance/pcg64.h"
#include "core/score/significance/sliced_rows.h"

namespace phraseq::score {
namespace {

/// Samples are drawn sequentially and scored in parallel, one block of this many samples at a time.
constexpr size_t kMostSamples = 256;
constexpr size_t kMostBytes = size_t{16} << 20;  ///< but at least one sample per thread

size_t samples_per_block(size_t bytes_per_sample, int threads) {
  const size_t fitting = kMostBytes / std::max<size_t>(bytes_per_sample, 1);
  return std::clamp(fitting, std::min(thread_count(threads), kMostSamples), kMostSamples);
}

/// Processes the samples in blocks. `draw(numbers)` draws the numbers of a block; `score(sample,
/// numbers)` uses the `per_sample` numbers of one sample.
template <class Number, class Draw, class Score>
void in_blocks(size_t samples, size_t per_sample, int threads, Draw draw, Score score) {
  const size_t block = samples_per_block(per_sample * sizeof(Number), threads);
  std::vector<Number> numbers;
  for (size_t begin = 0; begin < samples; begin += block) {
    const size_t count = std::min(block, samples - begin);
    numbers.resize(count * per_sample);
    draw(std::span<Number>(numbers));
    in_parallel(count, threads, [&](size_t first, size_t last) {
      for (size_t at = first; at < last; ++at) {
        score(begin + at, std::span(numbers).subspan(at * per_sample, per_sample));
      }
    });
  }
}

double score_sums(const Metric& metric, std::span<const double> sums) { return metric.score(sums); }
double score_sums(const Metric& metric, std::span<const float> sums) {
  return metric.score_single(sums);
}

void check_lengths(std::span<const Statistics> systems) {
  for (const auto& system : systems) {
    if (system.sentences() != systems.front().sentences()) {
      throw DataError(fmt::format("systems with {} and {} sentences cannot be paired",
                                  systems.front().sentences(),
                                  system.sentences()));
    }
  }
}

/// The rows of all systems for each sentence, one after the other, so that a drawn sentence is read
/// only once.
std::vector<double> side_by_side(std::span<const Statistics> systems) {
  std::vector<double> values;
  values.reserve(systems.size() * systems.front().values.size());
  for (size_t sentence = 0; sentence < systems.front().sentences(); ++sentence) {
    for (const auto& system : systems) {
      const auto row = system.row(sentence);
      values.insert(values.end(), row.begin(), row.end());
    }
  }
  return values;
}

/// Scores the resamples of all systems, with sums in precision `Real`.
template <class Real>
void score_resamples(const Metric& metric,
                     std::span<const Statistics> systems,
                     const Draws& draws,
                     std::vector<BootstrappedScore>& scores) {
  const size_t columns = metric.statistics();
  const SlicedRows<Real> rows(side_by_side(systems), systems.size() * columns);
  const size_t sentences = systems.front().sentences();
  Pcg64 generator(draws.seed);
  in_blocks<uint32_t>(
      scores.front().resampled.size(),
      sentences,
      draws.threads,
      [&](std::span<uint32_t> drawn) {
        for (auto& sentence : drawn) sentence = generator.below(sentences);
      },
      [&](size_t sample, std::span<const uint32_t> drawn) {
        std::vector<Real> sums(systems.size() * columns, Real{0});
        rows.add(drawn, sums);
        for (size_t system = 0; system < systems.size(); ++system) {
          const auto own = std::span<const Real>(sums).subspan(system * columns, columns);
          scores[system].resampled[sample] = score_sums(metric, own);
        }
      });
}

}  // namespace

std::vector<BootstrappedScore> bootstrap(const Metric& metric,
                                         std::span<const Statistics> systems,
                                         const Draws& draws) {
  check_lengths(systems);
  std::vector<BootstrappedScore> scores;
  for (const auto& system : systems) {
    scores.push_back(
        {metric.score(system.sums()), std::vector<double>(static_cast<size_t>(draws.count))});
  }
  if (metric.resample_precision() == ResamplePrecision::kDouble) {
    score_resamples<double>(metric, systems, draws, scores);
  } else {
    score_resamples<float>(metric, systems, draws, scores);
  }
  return scores;
}

namespace {

/// The sentences that a trial exchanges: those whose bit is 1.
std::vector<uint32_t> sentences_with_one(std::span<const uint8_t> bits) {
  std::vector<uint32_t> chosen(bits.size());
  size_t count = 0;
  for (uint32_t sentence = 0; sentence < bits.size(); ++sentence) {
    chosen[count] = sentence;  // no branch: the bits are random
    count += bits[sentence];
  }
  chosen.resize(count);
  return chosen;
}

}  // namespace

std::vector<double> randomized_differences(const Metric& metric,
                                           const Statistics& first,
                                           const Statistics& second,
                                           const Draws& trials) {
  const auto first_sums = first.sums();
  const auto second_sums = second.sums();
  std::vector<double> exchange(first.values.size());
  for (size_t at = 0; at < exchange.size(); ++at)
    exchange[at] = first.values[at] - second.values[at];
  const SlicedRows<double> rows(exchange, first.columns);

  std::vector<double> differences(static_cast<size_t>(trials.count));
  Pcg64 generator(trials.seed);
  RandomBits bits(generator);
  in_blocks<uint8_t>(
      differences.size(),
      first.sentences(),
      trials.threads,
      [&](std::span<uint8_t> from_first) { bits.fill(from_first); },
      [&](size_t trial, std::span<const uint8_t> from_first) {
        std::vector<double> one = second_sums;
        rows.add(sentences_with_one(from_first), one);
        std::vector<double> other(one.size());
        for (size_t column = 0; column < one.size(); ++column)
          other[column] = first_sums[column] + second_sums[column] - one[column];
        differences[trial] = std::abs(metric.score(one) - metric.score(other));
      });
  return differences;
}

}  // namespace phraseq::score

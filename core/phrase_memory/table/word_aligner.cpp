#include "core/phrase_memory/table/word_aligner.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace phraseq {
namespace {

constexpr size_t kNotThere = static_cast<size_t>(-1);
constexpr size_t kSortAt = 4096;

/// ψ(x), x > 0: the recurrence up to 7, then the asymptotic series (Abramowitz & Stegun 6.3.18).
double digamma(double x) {
  double value = 0;
  for (; x < 7; ++x) value -= 1 / x;
  const double inverse = 1 / x;
  const double square = inverse * inverse;
  const double series = square * (1.0 / 12 - square * (1.0 / 120 - square / 252));
  return value + std::log(x) - inverse / 2 - series;
}

size_t place_of(const std::vector<uint32_t>& sorted, uint32_t word) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), word);
  return at == sorted.end() || *at != word ? kNotThere : static_cast<size_t>(at - sorted.begin());
}

}  // namespace

WordAligner::WordAligner(const NumberedText& source,
                         const NumberedText& target,
                         const WordAlignerSettings& settings)
    : settings_(settings), rows_(source.words.size() + 1) {
  gather(source, target);
  for (int64_t iteration = 0; iteration < settings_.iterations; ++iteration) {
    for (size_t i = 0; i < source.sentences.size(); ++i)
      count(source.sentences[i], target.sentences[i]);
    maximize();
  }
}

void WordAligner::sort_row(Row& row) {
  std::sort(row.targets.begin(), row.targets.end());
  row.targets.erase(std::unique(row.targets.begin(), row.targets.end()), row.targets.end());
  row.seen = row.targets.size();
}

void WordAligner::gather(const NumberedText& source, const NumberedText& target) {
  const auto add = [](Row& row, const std::vector<uint32_t>& words) {
    row.targets.insert(row.targets.end(), words.begin(), words.end());
    if (row.targets.size() > 2 * row.seen + kSortAt)  // else common words would hold the text
      sort_row(row);
  };
  for (size_t i = 0; i < source.sentences.size(); ++i) {
    if (leaves_out(source.sentences[i], target.sentences[i]))
      continue;
    for (const uint32_t word : source.sentences[i]) add(rows_[word], target.sentences[i]);
    add(rows_.back(), target.sentences[i]);
  }
  for (Row& row : rows_) {
    sort_row(row);
    row.probabilities.assign(row.targets.size(), 1.0);  // any constant: only ratios count
    row.counts.assign(row.targets.size(), 0.0);
  }
}

double WordAligner::translation(uint32_t source, uint32_t target) const {
  const Row& row = rows_[source];
  const size_t at = place_of(row.targets, target);
  return at == kNotThere ? 0 : row.probabilities[at];
}

std::vector<double> WordAligner::weights(std::span<const uint32_t> source,
                                         std::span<const uint32_t> target,
                                         size_t place) const {
  const auto null = static_cast<uint32_t>(rows_.size() - 1);
  std::vector<double> weight(source.size() + 1);
  const double height = static_cast<double>(place + 1) / static_cast<double>(target.size());
  double sum = 0;
  for (size_t j = 1; j <= source.size(); ++j) {
    const double width = static_cast<double>(j) / static_cast<double>(source.size());
    weight[j] = std::exp(-settings_.tension * std::abs(height - width));
    sum += weight[j];
  }
  weight[0] = settings_.null_share * translation(null, target[place]);
  for (size_t j = 1; j <= source.size(); ++j)
    weight[j] *= (1 - settings_.null_share) / sum * translation(source[j - 1], target[place]);
  return weight;
}

void WordAligner::count(std::span<const uint32_t> source, std::span<const uint32_t> target) {
  if (leaves_out(source, target))
    return;
  for (size_t i = 0; i < target.size(); ++i) {
    const std::vector<double> weight = weights(source, target, i);
    const double sum = std::accumulate(weight.begin(), weight.end(), 0.0);
    if (!(sum > 0))
      continue;
    for (size_t j = 0; j < weight.size(); ++j) {
      Row& row = j == 0 ? rows_.back() : rows_[source[j - 1]];
      row.counts[place_of(row.targets, target[i])] += weight[j] / sum;
    }
  }
}

void WordAligner::maximize() {
  const double alpha = settings_.concentration;
  for (Row& row : rows_) {
    const double total = std::accumulate(row.counts.begin(), row.counts.end(), 0.0) +
                         alpha * static_cast<double>(row.counts.size());
    if (row.counts.empty())
      continue;
    const double whole = digamma(total);
    for (size_t i = 0; i < row.counts.size(); ++i) {
      row.probabilities[i] = std::exp(digamma(row.counts[i] + alpha) - whole);
      row.counts[i] = 0;
    }
  }
}

WordAlignment WordAligner::align(std::span<const uint32_t> source,
                                 std::span<const uint32_t> target) const {
  WordAlignment links;
  if (leaves_out(source, target))
    return links;
  for (size_t i = 0; i < target.size(); ++i) {
    const std::vector<double> weight = weights(source, target, i);
    const auto best = std::max_element(weight.begin(), weight.end()) - weight.begin();
    if (best > 0)
      links.push_back({best - 1, static_cast<int64_t>(i)});
  }
  std::sort(links.begin(), links.end());
  return links;
}

}  // namespace phraseq

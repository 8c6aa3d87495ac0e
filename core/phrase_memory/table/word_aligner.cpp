#include "core/phrase_memory/table/word_aligner.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <boost/math/special_functions/digamma.hpp>

namespace phraseq {
namespace {

constexpr size_t kSortAt = 4096;

/// ψ(x), computed in double precision: Boost's default is long double, which takes longer.
double digamma(double x) {
  using boost::math::policies::promote_double;
  return boost::math::digamma(x, boost::math::policies::policy<promote_double<false>>());
}

/// The slot at which the search for a word begins; `slots` is a power of 2.
size_t first_slot(uint32_t word, size_t slots) {
  const uint64_t hash = word * uint64_t{0x9E3779B97F4A7C15};
  return (hash >> 32) & (slots - 1);
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

void WordAligner::Row::sort_targets() {
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  seen = targets.size();
}

void WordAligner::Row::make_translations() {
  sort_targets();
  targets.shrink_to_fit();
  translations.resize(targets.size());
  index.assign(std::bit_ceil(targets.size() + targets.size() / 4 + 1), kNotThere);
  for (uint32_t place = 0; place < targets.size(); ++place) {
    size_t slot = first_slot(targets[place], index.size());
    while (index[slot] != kNotThere) slot = (slot + 1) & (index.size() - 1);
    index[slot] = place;
  }
}

inline uint32_t WordAligner::Row::place_of(uint32_t target) const {
  size_t slot = first_slot(target, index.size());
  while (index[slot] != kNotThere && targets[index[slot]] != target)
    slot = (slot + 1) & (index.size() - 1);
  return index[slot];
}

void WordAligner::gather(const NumberedText& source, const NumberedText& target) {
  const auto add = [](Row& row, const std::vector<uint32_t>& words) {
    row.targets.insert(row.targets.end(), words.begin(), words.end());
    if (row.targets.size() > 2 * row.seen + kSortAt)  // else common words would hold the text
      row.sort_targets();
  };
  for (size_t i = 0; i < source.sentences.size(); ++i) {
    if (leaves_out(source.sentences[i], target.sentences[i]))
      continue;
    for (const uint32_t word : source.sentences[i]) add(rows_[word], target.sentences[i]);
    add(rows_.back(), target.sentences[i]);
  }
  for (Row& row : rows_) row.make_translations();
}

double WordAligner::translation(uint32_t source, uint32_t target) const {
  const Row& row = rows_[source];
  const uint32_t at = row.place_of(target);
  return at == Row::kNotThere ? 0 : row.translations[at].probability;
}

WordAligner::Cells WordAligner::find_cells(std::span<const uint32_t> source,
                                           std::span<const uint32_t> target) const {
  Cells cells;
  cells.places.reserve((source.size() + 1) * target.size());
  cells.probabilities.reserve(cells.places.capacity());
  for (size_t j = 0; j <= source.size(); ++j) {
    const Row& row = j == 0 ? rows_.back() : rows_[source[j - 1]];
    for (const uint32_t word : target) {
      const uint32_t at = row.place_of(word);
      cells.places.push_back(at);
      cells.probabilities.push_back(at == Row::kNotThere ? 0 : row.translations[at].probability);
    }
  }
  return cells;
}

void WordAligner::weigh(const Cells& cells,
                        size_t place,
                        size_t length,
                        std::span<double> weight) const {
  const double height = static_cast<double>(place + 1) / static_cast<double>(length);
  const auto source_length = static_cast<double>(weight.size() - 1);
  double sum = 0;
  for (size_t j = 1; j < weight.size(); ++j) {
    const double width = static_cast<double>(j) / source_length;
    weight[j] = std::exp(-settings_.tension * std::abs(height - width));
    sum += weight[j];
  }
  const double* probability = &cells.probabilities[place];
  weight[0] = settings_.null_share * *probability;
  for (size_t j = 1; j < weight.size(); ++j)
    weight[j] *= (1 - settings_.null_share) / sum * probability[j * length];
}

void WordAligner::count(std::span<const uint32_t> source, std::span<const uint32_t> target) {
  if (leaves_out(source, target))
    return;
  const Cells cells = find_cells(source, target);
  std::vector<double> weight(source.size() + 1);
  for (size_t i = 0; i < target.size(); ++i) {
    weigh(cells, i, target.size(), weight);
    const double sum = std::accumulate(weight.begin(), weight.end(), 0.0);
    if (!(sum > 0))
      continue;
    for (size_t j = 0; j < weight.size(); ++j) {
      Row& row = j == 0 ? rows_.back() : rows_[source[j - 1]];
      row.translations[cells.places[j * target.size() + i]].count += weight[j] / sum;
    }
  }
}

void WordAligner::maximize() {
  const double alpha = settings_.concentration;
  for (Row& row : rows_) {
    if (row.translations.empty())
      continue;
    double total = 0;
    for (const Translation& translation : row.translations) total += translation.count;
    const double whole = digamma(total + alpha * static_cast<double>(row.translations.size()));
    for (Translation& translation : row.translations)
      translation = {std::exp(digamma(translation.count + alpha) - whole), 0};
  }
}

WordAlignment WordAligner::align(std::span<const uint32_t> source,
                                 std::span<const uint32_t> target) const {
  WordAlignment links;
  if (leaves_out(source, target))
    return links;
  const Cells cells = find_cells(source, target);
  std::vector<double> weight(source.size() + 1);
  for (size_t i = 0; i < target.size(); ++i) {
    weigh(cells, i, target.size(), weight);
    const auto best = std::max_element(weight.begin(), weight.end()) - weight.begin();
    if (best > 0)
      links.push_back({best - 1, static_cast<int64_t>(i)});
  }
  std::sort(links.begin(), links.end());
  return links;
}

}  // namespace phraseq

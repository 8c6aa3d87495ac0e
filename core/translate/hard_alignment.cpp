#include "core/translate/hard_alignment.h"

#include "core/text/dictionary.h"

namespace phraseq {
namespace {

/// Returns the index of each token among the words; -1 for a control symbol.
std::vector<int64_t> word_places(std::span<const int64_t> ids) {
  std::vector<int64_t> places;
  int64_t words = 0;
  for (const int64_t id : ids) places.push_back(is_control_symbol(id) ? -1 : words++);
  return places;
}

}  // namespace

std::vector<std::pair<int64_t, int64_t>> hard_alignment(const Hypothesis& hypothesis,
                                                        std::span<const int64_t> source) {
  const auto source_places = word_places(source), target_places = word_places(hypothesis.tokens);
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t target = 0; target < hypothesis.attention.size(); ++target) {
    const auto& weights = hypothesis.attention[target];
    int64_t best = -1;
    for (size_t i = 0; i < source_places.size() && i < weights.size(); ++i) {
      if (source_places[i] < 0)
        continue;
      if (best < 0 || weights[i] > weights[static_cast<size_t>(best)])
        best = static_cast<int64_t>(i);
    }
    if (best < 0 || target_places[target] < 0)
      continue;
    pairs.emplace_back(source_places[static_cast<size_t>(best)], target_places[target]);
  }
  return pairs;
}

}  // namespace phraseq

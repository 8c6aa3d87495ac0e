#include "core/search/decoders/recombine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace phraseq {

namespace {

void rank(std::vector<Candidate>& candidates) {
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return ranks_before(a, b);
  });
}

/// Adds a worse candidate's probability.
void absorb(Candidate& better, double total) {
  const double gain = std::log1p(std::exp(total - better.total));
  better.log_probability += gain;
  better.total += gain;
}

}  // namespace

void recombine(const SearchState& state, std::vector<Candidate>& candidates) {
  rank(candidates);
  std::map<std::vector<int64_t>, size_t> places;  // in `kept`, by all that is said
  std::vector<Candidate> kept;
  for (const Candidate& candidate : candidates) {
    const std::vector<int64_t> words = words_of(state, candidate);
    if (words.size() > 1 || candidate.total == -std::numeric_limits<double>::infinity()) {
      kept.push_back(candidate);
      continue;
    }
    auto said = state.tree.tokens(state.rows[static_cast<size_t>(candidate.row)].node);
    said.push_back(words.front());
    const auto [place, is_new] = places.emplace(std::move(said), kept.size());
    if (is_new) {
      kept.push_back(candidate);
    } else {
      absorb(kept[place->second], candidate.total);
    }
  }
  rank(kept);
  candidates = std::move(kept);
}

}  // namespace phraseq

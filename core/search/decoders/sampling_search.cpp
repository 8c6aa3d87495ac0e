#include "core/search/decoders/sampling_search.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/search/row_ranking.h"
#include "core/search/search_state.h"

namespace phraseq {
namespace {

/// The most candidates of a row that may be drawn; 0 = all. As in fairseq, a top p replaces the
/// top k.
size_t most_candidates(const SamplingSettings& settings) {
  const bool limited = settings.top_k > 0 && settings.top_p <= 0;
  return limited ? static_cast<size_t>(settings.top_k) : 0;
}

/// The number of candidates within the top k or top p.
size_t restricted(std::span<const RankedColumn> ranked, const SamplingSettings& settings) {
  const size_t most = most_candidates(settings);
  const size_t limit = most > 0 ? std::min(ranked.size(), most) : ranked.size();
  if (settings.top_p <= 0)
    return limit;
  size_t count = 0;
  for (double mass = 0; count < limit && (count == 0 || mass < settings.top_p); ++count)
    mass += std::exp(ranked[count].log_probability);
  return count;
}

/// A random number in [0, 1), determined by the seed, sentence, sample and step.
double draw_of(const SamplingSettings& settings,
               int64_t sentence_id,
               int64_t sample,
               int64_t step) {
  const uint64_t of_sentence = mix_seeds(settings.seed, static_cast<uint64_t>(sentence_id));
  const uint64_t of_sample = mix_seeds(of_sentence, static_cast<uint64_t>(sample));
  return Random(mix_seeds(of_sample, static_cast<uint64_t>(step))).uniform();
}

/// One row per sample: the sentences' first rows, repeated.
void repeat_rows(SearchState& state, int64_t samples) {
  std::vector<SearchRow> rows;
  std::vector<int64_t> origins;
  for (const SearchRow& first : state.rows) {
    for (int64_t sample = 0; sample < samples; ++sample) {
      rows.push_back(first);
      rows.back().sample = sample;
      origins.push_back(first.sentence);
    }
  }
  state.rows = std::move(rows);
  if (samples > 1)
    state.input.session().select(origins);
}

/// Draws the next token of every row.
std::vector<Candidate> draw(const SearchState& state,
                            const DecodingStep& step,
                            const SamplingSettings& settings) {
  const auto most = static_cast<int64_t>(most_candidates(settings));
  const int64_t wanted = most > 0 ? most : step.columns();
  const auto ranked = rank_rows(step, constrain_rows(state), wanted);
  const auto candidates = row_candidates(state, ranked);
  std::vector<Candidate> drawn;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const SearchRow& row = state.rows[i];
    const double point = draw_of(settings, state.sentence_of(row).id, row.sample, state.step);
    const size_t place = ranked[i].empty() ? 0 : draw_place(ranked[i], settings, point);
    drawn.push_back(candidates[i][place]);
  }
  return drawn;
}

}  // namespace

size_t draw_place(std::span<const RankedColumn> ranked,
                  const SamplingSettings& settings,
                  double point) {
  const double most_probable = ranked.front().log_probability;
  const size_t count = restricted(ranked, settings);
  std::vector<double> reached;  // relative to the first: --unkpen may add any number to the others
  for (const RankedColumn& column : ranked.first(count)) {
    const double before = reached.empty() ? 0 : reached.back();
    reached.push_back(before + std::exp(column.log_probability - most_probable));
  }
  const auto place = std::ranges::upper_bound(reached, point * reached.back());
  return std::min(count - 1, static_cast<size_t>(place - reached.begin()));
}

std::vector<std::vector<Hypothesis>> sampling_search(SearchInput& input,
                                                     const SearchOptions& options,
                                                     const SamplingSettings& settings) {
  SearchState state(input, options);
  repeat_rows(state, settings.samples);
  while (!state.rows.empty()) {
    const DecodingStep step = score_rows(state);
    advance(state, finish_ended(state, draw(state, step, settings)));
  }
  return best_hypotheses(state, settings.samples);
}

}  // namespace phraseq

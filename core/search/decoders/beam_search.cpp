#include "core/search/decoders/beam_search.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <ATen/Parallel.h>

#include "core/search/decoders/last_resort.h"
#include "core/search/decoders/recombine.h"
#include "core/search/row_ranking.h"

namespace phraseq {
namespace {

/// Groups the candidates of all rows by sentence.
std::vector<CandidateLists> by_sentence(const SearchState& state, CandidateLists candidates) {
  std::vector<CandidateLists> sentences;
  for (size_t row = 0; row < candidates.size(); ++row) {
    if (row == 0 || state.rows[row].sentence != state.rows[row - 1].sentence)
      sentences.emplace_back();
    sentences.back().push_back(std::move(candidates[row]));
  }
  return sentences;
}

/// Calls `choose` for every sentence, with its rows' candidates except dispensable last resorts.
template <class Choose>
CandidateLists choose_by_sentence(const SearchState& state,
                                  CandidateLists candidates,
                                  const std::function<bool(const Candidate&)>& is_last_resort,
                                  const Choose& choose) {
  constexpr int64_t kSentencesPerTask = 16;
  std::vector<CandidateLists> sentences = by_sentence(state, std::move(candidates));
  CandidateLists found(sentences.size());
  const auto count = static_cast<int64_t>(sentences.size());
  at::parallel_for(0, count, kSentencesPerTask, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      drop_last_resorts(state, sentences[i], is_last_resort);
      found[i] = choose(sentences[i]);
    }
  });
  return found;
}

/// Expands hypotheses that have lexical constraints.
CandidateLists expand_constrained(const SearchState& state,
                                  const DecodingStep& step,
                                  const BeamSettings& settings) {
  const auto states = lexical_states(state, settings.constraints);
  auto constraints = constrain_rows(state);
  forbid_unfinished_ends(states, constraints);
  return choose_by_sentence(
      state,
      row_candidates(state, rank_rows(step, constraints, 2 * settings.beam)),
      [&](const Candidate& candidate) {
        return is_last_resort(candidate, constraints) ||
               (ends(candidate) && !states[static_cast<size_t>(candidate.row)]->finished());
      },
      [&](const CandidateLists& rows) {
        return allocate_beam({state, step.output, constraints, states}, rows, settings.beam);
      });
}

/// Chooses from the candidates of a sentence's rows, according to the settings.
std::vector<Candidate> choose(const SearchState& state,
                              const DecodingStep& step,
                              const std::vector<StepConstraint>& constraints,
                              const BeamSettings& settings,
                              const CandidateLists& rows) {
  if (settings.diverse.groups > 0)
    return diverse_candidates(rows, settings.beam, settings.diverse);
  if (settings.diversity_rate > 0)
    return diverse_siblings(rows, settings.beam, settings.diversity_rate, state.step == 0);
  std::vector<Candidate> chosen = joined(rows);
  if (settings.recombine) {
    add_equal_candidates(state, step.output, constraints, chosen);
    recombine(state, chosen);
  }
  keep_best(chosen, 2 * settings.beam);
  return chosen;
}

/// Finishes the hypotheses that end in this step; returns the candidates that live on, none if the
/// sentence is done.
std::vector<Candidate> finish_hypotheses(SearchState& state,
                                         const std::vector<Candidate>& ranked,
                                         const BeamSettings& settings) {
  if (ranked.empty())
    return {};
  const int64_t beam = settings.beam;
  const int64_t sentence = state.row_of(ranked.front()).sentence;
  const auto& finished = state.finished[static_cast<size_t>(sentence)];
  const BeamSelection selection =
      settings.shrink ? select_shrinking(ranked, beam - static_cast<int64_t>(finished.size()))
                      : select_candidates(ranked, beam);
  for (const Candidate& candidate : selection.finished) {
    if (static_cast<int64_t>(finished.size()) < beam)
      finish(state, candidate);
  }
  const bool done = static_cast<int64_t>(finished.size()) >= beam;
  return done ? std::vector<Candidate>{} : selection.survivors;
}

}  // namespace

CandidateLists expand(const SearchState& state,
                      const DecodingStep& step,
                      const BeamSettings& settings) {
  if (settings.constraints != ConstraintOrder::kNone)
    return expand_constrained(state, step, settings);
  const auto constraints = constrain_rows(state);
  return choose_by_sentence(
      state,
      row_candidates(state, rank_rows(step, constraints, 2 * settings.beam)),
      [&](const Candidate& candidate) { return is_last_resort(candidate, constraints); },
      [&](const CandidateLists& rows) { return choose(state, step, constraints, settings, rows); });
}

bool BeamSettings::is_greedy() const {
  return beam == 1 && !recombine && diverse.groups <= 0 && diversity_rate <= 0 &&
         constraints == ConstraintOrder::kNone;
}

std::vector<std::string> BeamSettings::problems() const {
  std::vector<std::string> found;
  if (diverse.groups > 0 && beam % diverse.groups != 0)
    found.emplace_back("--beam must be a multiple of --diverse-beam-groups");
  const std::vector<std::string> others = {
      diverse.groups > 0 ? "--diverse-beam-groups" : "",
      diversity_rate > 0 ? "--diversity-rate" : "",
      constraints != ConstraintOrder::kNone ? "--constraints" : "",
      recombine ? "--recombine" : "",
      shrink ? "--shrink-beam" : ""};
  for (size_t i = 0; i < others.size(); ++i) {
    for (size_t j = i + 1; j < others.size(); ++j) {
      const bool old_pair = others[i] == "--recombine" && others[j] == "--shrink-beam";
      if (!others[i].empty() && !others[j].empty() && !old_pair)
        found.push_back(others[i] + " and " + others[j] + " cannot be combined");
    }
  }
  return found;
}

BeamSelection select_candidates(const std::vector<Candidate>& ranked, int64_t beam) {
  BeamSelection selection;
  for (size_t place = 0; place < ranked.size(); ++place) {
    if (!ends(ranked[place])) {
      if (static_cast<int64_t>(selection.survivors.size()) < beam)
        selection.survivors.push_back(ranked[place]);
    } else if (static_cast<int64_t>(place) < beam) {
      selection.finished.push_back(ranked[place]);
    }
  }
  return selection;
}

BeamSelection select_shrinking(const std::vector<Candidate>& ranked, int64_t open) {
  BeamSelection selection;
  const size_t count = std::min(ranked.size(), static_cast<size_t>(open));
  for (size_t place = 0; place < count; ++place) {
    auto& side = ends(ranked[place]) ? selection.finished : selection.survivors;
    side.push_back(ranked[place]);
  }
  return selection;
}

std::vector<std::vector<Hypothesis>> beam_search(SearchInput& input,
                                                 const SearchOptions& options,
                                                 const BeamSettings& settings) {
  SearchState state(input, options);
  while (!state.rows.empty()) {
    const DecodingStep step = score_rows(state);
    CandidateLists survivors;
    for (const auto& ranked : expand(state, step, settings))
      survivors.push_back(finish_hypotheses(state, ranked, settings));
    advance(state, joined(survivors));
  }
  return best_hypotheses(state, settings.nbest);
}

}  // namespace phraseq

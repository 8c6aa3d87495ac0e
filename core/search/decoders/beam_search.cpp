#include "core/search/decoders/beam_search.h"

#include <algorithm>
#include <limits>

#include "core/search/decoders/recombine.h"
#include "core/text/dictionary.h"

namespace phraseq {

namespace {

/// A row's candidates, added to those of its sentence.
void append(std::vector<Candidate>& to, const std::vector<Candidate>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void keep_best(std::vector<Candidate>& candidates, int64_t count) {
  const auto kept = std::min(candidates.size(), static_cast<size_t>(count));
  const auto middle = candidates.begin() + static_cast<int64_t>(kept);
  std::partial_sort(
      candidates.begin(), middle, candidates.end(), [](const Candidate& a, const Candidate& b) {
        return ranks_before(a, b);
      });
  candidates.resize(kept);
}

/// Whether a candidate says </s> although its row's constraint forbids it, for want of anything
/// else (rank_rows).
bool is_last_resort(const Candidate& candidate, const std::vector<StepConstraint>& constraints) {
  const StepConstraint& constraint = constraints[static_cast<size_t>(candidate.row)];
  return ends(candidate) && constraint.only < 0 &&
         std::any_of(constraint.edits.begin(), constraint.edits.end(), [](const ScoreEdit& edit) {
           return edit.column == kEos && edit.change == -std::numeric_limits<double>::infinity();
         });
}

/// A hypothesis that breaks a constraint is taken only if its sentence has no other.
void drop_last_resorts(const SearchState& state,
                       const std::vector<StepConstraint>& constraints,
                       std::vector<Candidate>& of_sentence) {
  const auto last_resort = [&](const Candidate& candidate) {
    return is_last_resort(candidate, constraints);
  };
  const int64_t sentence = state.rows[static_cast<size_t>(of_sentence.front().row)].sentence;
  if (!state.finished[static_cast<size_t>(sentence)].empty() ||
      !std::all_of(of_sentence.begin(), of_sentence.end(), last_resort))
    std::erase_if(of_sentence, last_resort);
}

/// Finishes what ends in this step; returns the candidates that live on, if the sentence does.
std::vector<Candidate> finish_hypotheses(SearchState& state,
                                         const std::vector<Candidate>& ranked,
                                         const BeamSettings& settings) {
  if (ranked.empty())
    return {};
  const int64_t beam = settings.beam;
  const int64_t sentence = state.rows[static_cast<size_t>(ranked.front().row)].sentence;
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

std::vector<std::vector<Candidate>> expand(const SearchState& state,
                                           const StepOutput& output,
                                           int64_t beam,
                                           bool join_equal) {
  const auto constraints = constrain_rows(state);
  const auto ranked = rank_rows(output, constraints, 2 * beam);
  const auto candidates = row_candidates(state, ranked);
  std::vector<std::vector<Candidate>> of_sentence;
  for (size_t row = 0; row < candidates.size(); ++row) {
    if (row == 0 || state.rows[row].sentence != state.rows[row - 1].sentence)
      of_sentence.emplace_back();
    append(of_sentence.back(), candidates[row]);
  }
  for (auto& sentence : of_sentence) {
    drop_last_resorts(state, constraints, sentence);
    if (join_equal) {
      add_equal_candidates(state, output, constraints, sentence);
      recombine(state, sentence);
    }
    keep_best(sentence, 2 * beam);
  }
  return of_sentence;
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
    const StepOutput output = score_rows(state);
    std::vector<Candidate> survivors;
    for (const auto& ranked : expand(state, output, settings.beam, settings.recombine)) {
      append(survivors, finish_hypotheses(state, ranked, settings));
    }
    advance(state, survivors);
  }
  return best_hypotheses(state, settings.nbest);
}

}  // namespace phraseq

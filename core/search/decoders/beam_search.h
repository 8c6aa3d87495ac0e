#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/search/decoders/constrained_beam.h"
#include "core/search/decoders/diverse_beam.h"
#include "core/search/search_state.h"

namespace phraseq {

/// Settings of beam_search.
struct BeamSettings {
  int64_t beam = 5;
  int64_t nbest = 1;
  bool recombine = false;  ///< join hypotheses with equal text (core/search/decoders/recombine.h)
  bool shrink = false;     ///< follow one hypothesis fewer for each finished one, as dl4mt does
  DiverseBeamSettings diverse = {};
  double diversity_rate = -1;  ///< of diverse siblings; 0 or less = off
  ConstraintOrder constraints = ConstraintOrder::kNone;

  /// Whether this is greedy search.
  PHRASEQ_API bool is_greedy() const;
  /// Describes settings that exclude each other, one sentence each.
  PHRASEQ_API std::vector<std::string> problems() const;
};

/// Searches with a beam, step by step as fairseq does (sequence_generator.py).
///
/// In every step, the 2 · beam best continuations of each sentence are considered. Those among the
/// first `beam` that end in </s> are finished; the first `beam` others are continued. A sentence is
/// done when `beam` hypotheses are finished, or at its maximum length, where only </s> is allowed.
/// Done sentences leave the batch. The functions below are the parts of one step, each usable
/// alone.
PHRASEQ_API std::vector<std::vector<Hypothesis>> beam_search(SearchInput& input,
                                                             const SearchOptions& options,
                                                             const BeamSettings& settings);

/// Returns the 2 · beam best candidates of every sentence with rows, best first, chosen according
/// to the settings. There are none if the constraints forbid every continuation of a sentence that
/// has a finished hypothesis.
PHRASEQ_API CandidateLists expand(const SearchState& state,
                                  const DecodingStep& step,
                                  const BeamSettings& settings);

/// A sentence's candidates that end, and those that the next step continues.
struct BeamSelection {
  std::vector<Candidate> finished;  ///< in order of rank
  std::vector<Candidate> survivors;
};
/// Splits a sentence's ranked candidates into those that end and those that are continued.
PHRASEQ_API BeamSelection select_candidates(const std::vector<Candidate>& ranked, int64_t beam);

/// Does the same in dl4mt's way (session2/nmt.py, gen_sample): each of the `open` best candidates
/// ends or is continued, where `open` is the beam minus the number of finished hypotheses; no
/// others are considered.
PHRASEQ_API BeamSelection select_shrinking(const std::vector<Candidate>& ranked, int64_t open);

}  // namespace phraseq

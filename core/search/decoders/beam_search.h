#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/search/decoders/constrained_beam.h"
#include "core/search/decoders/diverse_beam.h"
#include "core/search/search_state.h"

namespace phraseq {

/// Beam search, step for step fairseq's (sequence_generator.py).
///
/// Of each sentence the 2 · beam best continuations are looked at. Those among the first `beam`
/// that say </s> are finished; the first `beam` that do not live on. A sentence is done when `beam`
/// hypotheses are finished, or at its maximum length, where only </s> is allowed. Done sentences
/// leave the batch.
struct BeamSettings {
  int64_t beam = 5;
  int64_t nbest = 1;
  bool recombine = false;  ///< join hypotheses that say the same (core/search/decoders/recombine.h)
  bool shrink = false;     ///< follow one hypothesis fewer for each that is finished, as dl4mt does
  DiverseBeamSettings diverse = {};
  double diversity_rate = -1;  ///< of diverse siblings; 0 or less = off
  ConstraintOrder constraints = ConstraintOrder::kNone;

  /// Whether this is greedy search.
  PHRASEQ_API bool is_greedy() const;
  /// Which of these exclude each other.
  PHRASEQ_API std::vector<std::string> problems() const;
};

PHRASEQ_API std::vector<std::vector<Hypothesis>> beam_search(SearchInput& input,
                                                             const SearchOptions& options,
                                                             const BeamSettings& settings);

/// The steps of it, each usable alone.

/// The 2 · beam best candidates of every sentence with rows, best first, chosen as the settings
/// say. None where the constraints forbid every continuation of a sentence that has a finished
/// hypothesis.
PHRASEQ_API std::vector<std::vector<Candidate>> expand(const SearchState& state,
                                                       const SearchStep& output,
                                                       const BeamSettings& settings);

struct BeamSelection {
  std::vector<Candidate> finished;  ///< in order of rank
  std::vector<Candidate> survivors;
};
/// Which of a sentence's ranked candidates end and which live on.
PHRASEQ_API BeamSelection select_candidates(const std::vector<Candidate>& ranked, int64_t beam);

/// The same in dl4mt's way (session2/nmt.py, gen_sample): of the `open` best candidates, the beam
/// less what is finished, each ends or lives on; no other is looked at.
PHRASEQ_API BeamSelection select_shrinking(const std::vector<Candidate>& ranked, int64_t open);

}  // namespace phraseq

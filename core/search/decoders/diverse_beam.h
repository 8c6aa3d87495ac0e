#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"
#include "core/search/search_state.h"

namespace phraseq {

/// Settings of diverse_candidates.
struct DiverseBeamSettings {
  int64_t groups = -1;    ///< at least 1, a divisor of the beam; -1 = off
  double strength = 0.5;  ///< of the penalty
};

/// Chooses the candidates of one sentence by diverse beam search (Vijayakumar et al. 2018) with the
/// Hamming penalty, step by step like fairseq's DiverseBeamSearch. `ranked_rows[i]` holds the 2 ·
/// beam best candidates of the sentence's i-th row, best first.
///
/// Row i is in group i mod `groups`; the only row of the first step is in all of them. The groups
/// choose their 2 · beam / groups best one after the other; `strength` is subtracted from what a
/// candidate adds for each time that an earlier group chose its column. The groups take turns in
/// the result: the best of each, then the second of each …
PHRASEQ_API std::vector<Candidate> diverse_candidates(const CandidateLists& ranked_rows,
                                                      int64_t beam,
                                                      const DiverseBeamSettings& settings);

/// Chooses the candidates of one sentence with diverse siblings (Li et al. 2016), as fairseq's
/// DiverseSiblingsSearch: rate · rank is subtracted from each continuation of a row, where the best
/// one has rank 1; not in the first step. Returns the 2 · beam best, best first.
PHRASEQ_API std::vector<Candidate> diverse_siblings(const CandidateLists& ranked_rows,
                                                    int64_t beam,
                                                    double rate,
                                                    bool first_step);

}  // namespace phraseq

#include "core/search/decoders/diverse_beam.h"

#include <algorithm>
#include <map>

namespace phraseq {
namespace {

void subtract(Candidate& candidate, double penalty) {
  candidate.log_probability -= penalty;
  candidate.total -= penalty;
}

using Chosen = std::map<int64_t, int64_t>;  // how often each column was chosen

/// Chooses the candidates of one group, after the earlier groups.
std::vector<Candidate> choose(const CandidateLists& rows,
                              int64_t group,
                              int64_t count,
                              const Chosen& chosen,
                              const DiverseBeamSettings& settings) {
  std::vector<Candidate> candidates;
  for (size_t row = 0; row < rows.size(); ++row) {
    if (rows.size() > 1 && static_cast<int64_t>(row) % settings.groups != group)
      continue;
    for (Candidate candidate : rows[row]) {
      const auto times = chosen.find(candidate.column);
      if (times != chosen.end() && !candidate.queued)
        subtract(candidate, settings.strength * static_cast<double>(times->second));
      candidates.push_back(candidate);
    }
  }
  keep_best(candidates, count);
  return candidates;
}

std::vector<Candidate> take_turns(const CandidateLists& groups) {
  std::vector<Candidate> all;
  size_t longest = 0;
  for (const auto& group : groups) longest = std::max(longest, group.size());
  for (size_t place = 0; place < longest; ++place) {
    for (const auto& group : groups) {
      if (place < group.size())
        all.push_back(group[place]);
    }
  }
  return all;
}

}  // namespace

std::vector<Candidate> diverse_candidates(const CandidateLists& ranked_rows,
                                          int64_t beam,
                                          const DiverseBeamSettings& settings) {
  Chosen chosen;
  CandidateLists groups;
  for (int64_t group = 0; group < settings.groups; ++group) {
    groups.push_back(choose(ranked_rows, group, 2 * beam / settings.groups, chosen, settings));
    for (const Candidate& candidate : groups.back()) {
      if (!candidate.queued)
        ++chosen[candidate.column];
    }
  }
  return take_turns(groups);
}

std::vector<Candidate> diverse_siblings(const CandidateLists& ranked_rows,
                                        int64_t beam,
                                        double rate,
                                        bool first_step) {
  std::vector<Candidate> all;
  for (const auto& row : ranked_rows) {
    for (size_t place = 0; place < row.size(); ++place) {
      all.push_back(row[place]);
      if (!first_step)
        subtract(all.back(), rate * static_cast<double>(place + 1));
    }
  }
  keep_best(all, 2 * beam);
  return all;
}

}  // namespace phraseq

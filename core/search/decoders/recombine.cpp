#include "core/search/decoders/recombine.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace phraseq {

namespace {

using Strings = std::vector<int64_t>;

bool leaves_a_queue(const SearchState& state, const Candidate& candidate) {
  return tokens_of(state, candidate).size() > 1;
}

Strings generated_by(const SearchState& state, int64_t row) {
  return state.tree.strings(state.rows[static_cast<size_t>(row)].node);
}

/// Returns the strings of a hypothesis with a candidate that leaves no queue.
Strings generated_with(const SearchState& state, const Candidate& candidate) {
  Strings generated = generated_by(state, candidate.row);
  generated.push_back(strings_of(state, candidate).front());
  return generated;
}

/// Returns the columns of a row that generate one of the strings and leave no queue.
std::vector<int64_t> columns_that_say(const SearchState& state,
                                      int64_t row,
                                      const std::set<int64_t>& strings) {
  std::vector<int64_t> columns;
  for (const int64_t string : strings) {
    if (string >= 0)
      columns.push_back(string);
  }
  for (int64_t slot = 0; slot < state.input.session().slots(); ++slot) {
    const Candidate chosen{row, state.vocabulary + slot, 0, 0, false};
    if (tokens_of(state, chosen).size() == 1 &&
        strings.count(strings_of(state, chosen).front()) > 0)
      columns.push_back(chosen.column);
  }
  return columns;
}

/// Adds the probability of a worse candidate.
void absorb(Candidate& better, double total) {
  const double gain = std::log1p(std::exp(total - better.total));
  better.log_probability += gain;
  better.total += gain;
}

}  // namespace

void recombine(const SearchState& state, std::vector<Candidate>& candidates) {
  std::sort(candidates.begin(), candidates.end(), best_first);
  std::map<Strings, size_t> places;  // in `kept`, by all that is generated
  std::vector<Candidate> kept;
  for (const Candidate& candidate : candidates) {
    if (leaves_a_queue(state, candidate)) {
      kept.push_back(candidate);
      continue;
    }
    const auto [place, is_new] = places.emplace(generated_with(state, candidate), kept.size());
    if (is_new) {
      kept.push_back(candidate);
    } else {
      absorb(kept[place->second], candidate.total);
    }
  }
  std::sort(kept.begin(), kept.end(), best_first);
  candidates = std::move(kept);
}

void add_equal_candidates(const SearchState& state,
                          const StepOutput& output,
                          const std::vector<StepConstraint>& constraints,
                          std::vector<Candidate>& candidates) {
  std::set<std::pair<int64_t, int64_t>> known;   // row and column
  std::map<Strings, std::set<int64_t>> endings;  // by all that was said before them
  std::set<int64_t> rows;
  for (const Candidate& candidate : candidates) {
    rows.insert(candidate.row);
    known.emplace(candidate.row, candidate.column);
    if (leaves_a_queue(state, candidate))
      continue;
    Strings generated = generated_with(state, candidate);
    const int64_t last = generated.back();
    generated.pop_back();
    endings[generated].insert(last);
  }
  for (const int64_t row : rows) {
    if (!state.rows[static_cast<size_t>(row)].queue.empty())
      continue;
    const auto after = endings.find(generated_by(state, row));
    if (after == endings.end())
      continue;
    for (const int64_t column : columns_that_say(state, row, after->second)) {
      if (!known.emplace(row, column).second)
        continue;
      const double log_probability =
          log_probability_of(output, row, column, constraints[static_cast<size_t>(row)]);
      const double total = state.rows[static_cast<size_t>(row)].log_probability + log_probability;
      if (std::isfinite(log_probability))
        candidates.push_back({row, column, log_probability, total, false});
    }
  }
}

}  // namespace phraseq

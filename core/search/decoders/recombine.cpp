#include "core/search/decoders/recombine.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/search/row_ranking.h"

namespace phraseq {
namespace {

using Strings = std::vector<int64_t>;

/// Whether words of a phrase still wait to be generated after this candidate's first one.
bool has_queued_words(const SearchState& state, const Candidate& candidate) {
  return tokens_of(state, candidate).size() > 1;
}

Strings generated_by(const SearchState& state, int64_t row) {
  return state.tree.strings(state.rows[static_cast<size_t>(row)].node);
}

/// Returns the strings of a hypothesis with a candidate that queues no words.
Strings generated_with(const SearchState& state, const Candidate& candidate) {
  Strings generated = generated_by(state, candidate.row);
  generated.push_back(strings_of(state, candidate).front());
  return generated;
}

/// Returns the columns of a row that generate one of the strings and queue no words.
std::vector<int64_t> columns_generating(const SearchState& state,
                                        int64_t row,
                                        const std::set<int64_t>& strings) {
  std::vector<int64_t> columns;
  for (const int64_t string : strings) {
    if (string >= 0)
      columns.push_back(string);
  }
  for (int64_t slot = 0; slot < state.input.session().slots(); ++slot) {
    const Candidate chosen{row, state.vocabulary + slot};
    if (tokens_of(state, chosen).size() == 1 &&
        strings.count(strings_of(state, chosen).front()) > 0)
      columns.push_back(chosen.column);
  }
  return columns;
}

/// Adds the probability of a worse candidate, whose total is `total`, to the better one.
void absorb(Candidate& better, double total) {
  const double gain = std::log1p(std::exp(total - better.total));
  better.log_probability += gain;
  better.total += gain;
}

/// The last strings of the candidates that queue no words, grouped by all strings before them.
std::map<Strings, std::set<int64_t>> endings_by_prefix(const SearchState& state,
                                                       const std::vector<Candidate>& candidates) {
  std::map<Strings, std::set<int64_t>> endings;
  for (const Candidate& candidate : candidates) {
    if (has_queued_words(state, candidate))
      continue;
    Strings generated = generated_with(state, candidate);
    const int64_t last = generated.back();
    generated.pop_back();
    endings[generated].insert(last);
  }
  return endings;
}

}  // namespace

void recombine(const SearchState& state, std::vector<Candidate>& candidates) {
  std::sort(candidates.begin(), candidates.end(), best_first);
  std::map<Strings, size_t> places;  // indices in `kept`, by the generated strings
  std::vector<Candidate> kept;
  for (const Candidate& candidate : candidates) {
    if (has_queued_words(state, candidate)) {
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
  const auto endings = endings_by_prefix(state, candidates);
  std::set<std::pair<int64_t, int64_t>> known;  // row and column
  std::set<int64_t> rows;
  for (const Candidate& candidate : candidates) {
    rows.insert(candidate.row);
    known.emplace(candidate.row, candidate.column);
  }
  for (const int64_t row : rows) {
    const auto ending = endings.find(generated_by(state, row));
    if (!state.rows[static_cast<size_t>(row)].queue.empty() || ending == endings.end())
      continue;
    std::vector<int64_t> columns = columns_generating(state, row, ending->second);
    std::erase_if(columns, [&](int64_t column) { return !known.emplace(row, column).second; });
    if (columns.empty())
      continue;
    const std::vector<double> found =
        log_probabilities_of(output, row, columns, constraints[static_cast<size_t>(row)]);
    for (size_t i = 0; i < columns.size(); ++i) {
      if (std::isfinite(found[i]))
        candidates.push_back(state.decision(row, columns[i], found[i]));
    }
  }
}

}  // namespace phraseq

#include "core/search/decoders/constrained_beam.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/search/row_ranking.h"
#include "core/text/dictionary.h"

namespace phraseq {
namespace {

constexpr double kBankStep = 100;  // fairseq's MAX_SCORE: separates the banks when sorting

struct Banked {
  Candidate candidate;
  int64_t bank = 0;

  double key() const { return kBankStep * static_cast<double>(bank) + candidate.total; }
};

/// The candidates of a sentence in the order in which they were added, without duplicates.
class CandidateSet {
 public:
  void add(const Candidate& candidate) {
    if (std::isfinite(candidate.total) && known_.emplace(candidate.row, candidate.column).second)
      all_.push_back(candidate);
  }
  const std::vector<Candidate>& all() const { return all_; }

 private:
  std::set<std::pair<int64_t, int64_t>> known_;
  std::vector<Candidate> all_;
};

void add_best(const CandidateLists& ranked_rows, int64_t count, CandidateSet& candidates) {
  std::vector<Candidate> all = joined(ranked_rows);
  keep_best(all, count);
  for (const Candidate& candidate : all) candidates.add(candidate);
  for (const auto& row : ranked_rows) {
    if (!row.empty())
      candidates.add(row.front());
  }
}

/// Adds the tokens that begin or continue a constraint of the row.
void add_next_tokens(const ConstrainedStep& step, int64_t row, CandidateSet& candidates) {
  const auto number = static_cast<size_t>(row);
  const std::set<int64_t> tokens = step.states[number]->next_tokens();
  if (!step.state.rows[number].queue.empty() || tokens.empty())
    return;
  const std::vector<int64_t> columns(tokens.begin(), tokens.end());
  const auto scores = log_probabilities_of(step.output, row, columns, step.constraints[number]);
  for (size_t i = 0; i < columns.size(); ++i)
    candidates.add(step.state.decision(row, columns[i], scores[i]));
}

Banked with_bank(const ConstrainedStep& step, const Candidate& of) {
  const auto next = step.states[static_cast<size_t>(of.row)]->copy();
  next->advance(tokens_of(step.state, of).front());
  return {of, next->bank()};
}

/// Takes candidates from the banks in turn, the fullest bank first: the best of each, then the
/// second best of each, and so on until there are `count`.
std::vector<Candidate> take_turns(std::vector<Banked> sorted, int64_t count) {
  std::vector<std::pair<std::pair<int64_t, int64_t>, Candidate>> turns;
  int64_t turn = -1;
  int64_t bank = sorted.empty() ? 0 : sorted.front().bank;
  for (const Banked& next : sorted) {
    turn = next.bank == bank ? turn + 1 : 0;
    bank = next.bank;
    turns.push_back({{turn, -bank}, next.candidate});
  }
  std::stable_sort(
      turns.begin(), turns.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Candidate> chosen;
  for (size_t i = 0; i < std::min(turns.size(), static_cast<size_t>(count)); ++i)
    chosen.push_back(turns[i].second);
  return chosen;
}

}  // namespace

std::unique_ptr<LexicalState> lexical_state(const LexicalConstraints& constraints,
                                            ConstraintOrder order) {
  if (order == ConstraintOrder::kOrdered)
    return std::make_unique<OrderedLexicalState>(constraints);
  return std::make_unique<UnorderedLexicalState>(constraints);
}

std::vector<std::unique_ptr<LexicalState>> lexical_states(const SearchState& state,
                                                          ConstraintOrder order) {
  std::vector<std::unique_ptr<LexicalState>> states;
  for (const SearchRow& row : state.rows) {
    states.push_back(lexical_state(state.sentence_of(row).lexical_constraints, order));
    for (const int64_t token : state.tree.tokens(row.node)) states.back()->advance(token);
  }
  return states;
}

void forbid_unfinished_ends(const std::vector<std::unique_ptr<LexicalState>>& states,
                            std::vector<StepConstraint>& constraints) {
  for (size_t row = 0; row < states.size(); ++row) {
    if (constraints[row].only != kAnyToken || states[row]->finished())
      continue;
    constraints[row].forbid(kEos);
  }
}

std::vector<Candidate> allocate_beam(const ConstrainedStep& step,
                                     const CandidateLists& ranked_rows,
                                     int64_t beam) {
  CandidateSet candidates;
  add_best(ranked_rows, 2 * beam, candidates);
  for (const auto& row : ranked_rows) {
    if (!row.empty())
      add_next_tokens(step, row.front().row, candidates);
  }
  std::vector<Banked> banked;
  for (const Candidate& candidate : candidates.all()) banked.push_back(with_bank(step, candidate));
  std::stable_sort(banked.begin(), banked.end(), [](const Banked& a, const Banked& b) {
    return a.key() != b.key() ? a.key() > b.key() : ranks_before(a.candidate, b.candidate);
  });
  return take_turns(std::move(banked), 2 * beam);
}

}  // namespace phraseq

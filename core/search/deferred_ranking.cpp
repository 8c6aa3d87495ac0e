#include "core/search/deferred_ranking.h"

#include <algorithm>
#include <cmath>

#include <ATen/Parallel.h>

#include "core/search/constraints.h"
#include "core/text/dictionary.h"

namespace phraseq {
namespace {

constexpr int64_t kAnswersPerTask = 64;

/// Returns the query for ranking a row with this constraint: it asks for the best columns, the
/// edited ones, and </s>, which is the last resort.
ScoreQuery query_of(const StepConstraint& constraint, int64_t k) {
  if (!constraint.has_decision() || constraint.costs_nothing)
    return {};
  if (constraint.forces_token())
    return {0, {constraint.only}};
  ScoreQuery query{k, {}};
  query.columns.reserve(constraint.edits.size() + 1);
  for (const ScoreEdit& edit : constraint.edits) query.columns.push_back(edit.column);
  if (std::find(query.columns.begin(), query.columns.end(), kEos) == query.columns.end())
    query.columns.push_back(kEos);
  return query;
}

/// Returns the best columns of a row in which no token is forced, edits included, as
/// log_softmax_top_k does.
std::vector<RankedColumn> edited_best(const ScoreAnswer& answer,
                                      const ScoreQuery& query,
                                      const StepConstraint& constraint) {
  std::vector<RankedColumn> best;
  best.reserve(answer.best.size() + query.columns.size());
  const auto offer = [&](double score, double change, int64_t column) {
    const double log_probability = score - answer.normalizer + change;
    if (log_probability > kImpossible && !is_forbidden_score(score))
      best.push_back({log_probability, column});
  };
  for (const RankedColumn& found : answer.best) offer(found.log_probability, 0, found.column);
  for (size_t i = 0; i < query.columns.size(); ++i) {
    const bool is_edit = i < constraint.edits.size();
    offer(answer.scores[i], is_edit ? constraint.edits[i].change : 0.0, query.columns[i]);
  }
  keep_best(best, query.best);
  return best;
}

/// Ranks one row like rank_rows, which needs all of its scores. Returns the row's normalizer.
double rank_answer(const ScoreAnswer& answer,
                   const ScoreQuery& query,
                   const StepConstraint& constraint,
                   std::vector<RankedColumn>& best) {
  if (!constraint.has_decision())
    return 0;
  if (constraint.forces_token() && constraint.costs_nothing) {
    best.assign(1, {0.0, constraint.only});
    return 0;
  }
  if (!constraint.forces_token())
    best = edited_best(answer, query, constraint);
  if (!best.empty() || std::isnan(answer.normalizer))
    return answer.normalizer;
  const int64_t column = constraint.forces_token() ? constraint.only : kEos;
  const auto place =
      std::find(query.columns.begin(), query.columns.end(), column) - query.columns.begin();
  const double change = constraint.forces_token() ? constraint.change_of(column) : 0;
  best.assign(1, {answer.scores[static_cast<size_t>(place)] - answer.normalizer + change, column});
  return answer.normalizer;
}

}  // namespace

RowRanking rank_deferred(const DeferredScores& scores,
                         const std::vector<StepConstraint>& constraints,
                         int64_t k,
                         bool needs_probabilities) {
  std::vector<ScoreQuery> queries;
  queries.reserve(constraints.size());
  for (const StepConstraint& constraint : constraints) {
    queries.push_back(query_of(constraint, k));
    queries.back().needs_normalizer = needs_probabilities;
  }
  const auto answers = scores.answer(queries);
  RowRanking ranking(constraints.size());
  const auto rows = static_cast<int64_t>(constraints.size());
  at::parallel_for(0, rows, kAnswersPerTask, [&](int64_t begin, int64_t end) {
    for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row) {
      ranking.normalizers[row] =
          rank_answer(answers[row], queries[row], constraints[row], ranking.best[row]);
    }
  });
  return ranking;
}

}  // namespace phraseq

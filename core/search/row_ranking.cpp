#include "core/search/row_ranking.h"

#include <algorithm>
#include <cmath>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/work_profile.h"
#include "core/text/dictionary.h"

namespace phraseq {

namespace {

constexpr int64_t kRowsPerTask = 4;
constexpr int64_t kAnswersPerTask = 64;

/// Returns what the constraint adds to the log-probability of a column.
double change_of(int64_t column, const StepConstraint& constraint) {
  double change = 0;
  for (const ScoreEdit& edit : constraint.edits) change += edit.column == column ? edit.change : 0;
  return change;
}

/// Ranks one column alone. Returns the row's normalizer, NaN when scores are not finite.
template <class Number>
double rank_only(std::span<const Number> scores,
                 int64_t column,
                 bool costs_nothing,
                 bool normalized,
                 std::vector<RankedColumn>& best) {
  if (costs_nothing) {
    best.assign(1, {0.0, column});
    return 0;
  }
  const double norm = normalized ? 0 : log_sum_exp(scores);
  const auto score = static_cast<double>(scores[static_cast<size_t>(column)]);
  best.assign(1, {score - norm, column});
  return std::isnan(score) ? score : norm;
}

template <class Number>
double rank_row(std::span<const Number> scores,
                const StepConstraint& constraint,
                int64_t k,
                bool normalized,
                std::vector<RankedColumn>& best) {
  if (!constraint.has_decision())
    return 0;
  if (constraint.forces_token()) {
    const double norm_of_only =
        rank_only(scores, constraint.only, constraint.costs_nothing, normalized, best);
    best.front().log_probability += change_of(constraint.only, constraint);
    return norm_of_only;
  }
  const double norm = log_softmax_top_k(scores, k, constraint.edits, normalized, best);
  if (!best.empty() || std::isnan(norm))
    return norm;
  return rank_only(scores, kEos, /*costs_nothing=*/false, normalized, best);
}

template <class Number>
void rank_all(const StepOutput& output,
              const std::vector<StepConstraint>& constraints,
              int64_t k,
              std::vector<std::vector<RankedColumn>>& ranked,
              std::vector<double>& norms) {
  const auto columns = static_cast<size_t>(output.scores.size(1));
  const auto* scores = output.scores.data_ptr<Number>();
  at::parallel_for(0, output.scores.size(0), kRowsPerTask, [&](int64_t begin, int64_t end) {
    for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row) {
      norms[row] = rank_row(std::span<const Number>(scores + row * columns, columns),
                            constraints[row],
                            k,
                            output.normalized,
                            ranked[row]);
    }
  });
}

/// Returns the query that ranking a row with this constraint needs: the best columns, the edited
/// ones, and </s>, the last resort.
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
  const auto offer = [&](double log_probability, int64_t column) {
    if (log_probability > kImpossible)
      best.push_back({log_probability, column});
  };
  for (const RankedColumn& found : answer.best)
    offer(found.log_probability - answer.normalizer, found.column);
  for (size_t i = 0; i < query.columns.size(); ++i) {
    const bool is_edit = i < constraint.edits.size();
    offer(answer.scores[i] - answer.normalizer + (is_edit ? constraint.edits[i].change : 0.0),
          query.columns[i]);
  }
  keep_best(best, query.best);
  return best;
}

/// Ranks one row by deferred scores, as rank_row does. Returns the row's normalizer.
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
  const double change = constraint.forces_token() ? change_of(column, constraint) : 0;
  best.assign(1, {answer.scores[static_cast<size_t>(place)] - answer.normalizer + change, column});
  return answer.normalizer;
}

void rank_deferred(const DeferredScores& scores,
                   const std::vector<StepConstraint>& constraints,
                   int64_t k,
                   bool needs_probabilities,
                   std::vector<std::vector<RankedColumn>>& ranked,
                   std::vector<double>& norms) {
  std::vector<ScoreQuery> queries;
  queries.reserve(constraints.size());
  for (const StepConstraint& constraint : constraints) {
    queries.push_back(query_of(constraint, k));
    queries.back().needs_normalizer = needs_probabilities;
  }
  const auto answers = scores.answer(queries);
  const auto rows = static_cast<int64_t>(constraints.size());
  at::parallel_for(0, rows, kAnswersPerTask, [&](int64_t begin, int64_t end) {
    for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row)
      norms[row] = rank_answer(answers[row], queries[row], constraints[row], ranked[row]);
  });
}

void reject_impossible(const std::vector<std::vector<RankedColumn>>& ranked) {
  for (const auto& best : ranked) {
    if (best.empty() || std::isfinite(best.front().log_probability))
      continue;
    const int64_t column = best.front().column;
    throw DivergenceError(
        fmt::format("a translation can only continue with {}, which is impossible for the model",
                    column == kEos ? std::string("</s>") : fmt::format("token {}", column)),
        "Relax the constraints: --prefix-size, --min-len, --no-repeat-ngram-size, --max-len-b.");
  }
}

/// Returns ln p of columns of a row, before constraints.
template <class Number>
std::vector<double> log_probabilities_in(const StepOutput& output,
                                         int64_t row,
                                         std::span<const int64_t> wanted) {
  const auto columns = static_cast<size_t>(output.scores.size(1));
  const std::span<const Number> scores(
      output.scores.data_ptr<Number>() + static_cast<size_t>(row) * columns, columns);
  const double norm = output.normalized ? 0 : log_sum_exp(scores);
  std::vector<double> found;
  for (const int64_t column : wanted)
    found.push_back(static_cast<double>(scores[static_cast<size_t>(column)]) - norm);
  return found;
}

/// Applies the row's constraint to ln p of a column.
double constrained(double log_probability, int64_t column, const StepConstraint& constraint) {
  if (constraint.forces_token() && constraint.only != column)
    return kImpossible;
  if (constraint.only == column && constraint.costs_nothing)
    return 0;
  return log_probability + change_of(column, constraint);
}

}  // namespace

std::vector<std::vector<RankedColumn>> rank_rows(const SearchStep& output,
                                                 const std::vector<StepConstraint>& constraints,
                                                 int64_t k,
                                                 bool needs_probabilities) {
  const WorkSpan span(Work::kScores);
  std::vector<std::vector<RankedColumn>> ranked(constraints.size());
  std::vector<double> norms(constraints.size());
  if (output.deferred) {
    rank_deferred(*output.deferred, constraints, k, needs_probabilities, ranked, norms);
  } else if (output.scores.scalar_type() == at::kDouble) {
    rank_all<double>(output, constraints, k, ranked, norms);
  } else {
    rank_all<float>(output, constraints, k, ranked, norms);
  }
  if (std::any_of(norms.begin(), norms.end(), [](double norm) { return std::isnan(norm); })) {
    throw DivergenceError("the scores of the model are not finite",
                          "Training of the checkpoint may have diverged: `phraseq inspect` shows "
                          "its tensors. Or try --precision fp32.");
  }
  reject_impossible(ranked);
  return ranked;
}

double log_probability_of(const StepOutput& output,
                          int64_t row,
                          int64_t column,
                          const StepConstraint& constraint) {
  return log_probabilities_of(output, row, std::span(&column, 1), constraint).front();
}

std::vector<double> log_probabilities_of(const StepOutput& output,
                                         int64_t row,
                                         std::span<const int64_t> columns,
                                         const StepConstraint& constraint) {
  const bool is_double = output.scores.scalar_type() == at::kDouble;
  auto found = is_double ? log_probabilities_in<double>(output, row, columns)
                         : log_probabilities_in<float>(output, row, columns);
  for (size_t i = 0; i < columns.size(); ++i)
    found[i] = constrained(found[i], columns[i], constraint);
  return found;
}

}  // namespace phraseq

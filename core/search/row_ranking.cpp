#include "core/search/row_ranking.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/work_profile.h"
#include "core/search/constraints.h"
#include "core/search/deferred_ranking.h"
#include "core/text/dictionary.h"

namespace phraseq {
namespace {

constexpr int64_t kRowsPerTask = 4;

/// Ranks the only allowed column. Returns the row's normalizer, NaN if the scores are not finite.
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

/// Drops the columns that the model excludes. A score that is as low only because the constraint
/// changed it stays.
void drop_forbidden(const StepConstraint& constraint, std::vector<RankedColumn>& ranked) {
  std::erase_if(ranked, [&](const RankedColumn& one) {
    return is_forbidden_score(one.log_probability) &&
           is_forbidden_score(one.log_probability - constraint.change_of(one.column));
  });
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
    best.front().log_probability += constraint.change_of(constraint.only);
    return norm_of_only;
  }
  const double norm = log_softmax_top_k(scores, k, constraint.edits, normalized, best);
  drop_forbidden(constraint, best);
  if (!best.empty() || std::isnan(norm))
    return norm;
  return rank_only(scores, kEos, /*costs_nothing=*/false, normalized, best);
}

template <class Number>
RowRanking rank_all(const StepOutput& output,
                    const std::vector<StepConstraint>& constraints,
                    int64_t k) {
  RowRanking ranking(constraints.size());
  const auto columns = static_cast<size_t>(output.scores.size(1));
  const auto* scores = output.scores.data_ptr<Number>();
  at::parallel_for(0, output.scores.size(0), kRowsPerTask, [&](int64_t begin, int64_t end) {
    for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row) {
      ranking.normalizers[row] = rank_row(std::span<const Number>(scores + row * columns, columns),
                                          constraints[row],
                                          k,
                                          output.normalized,
                                          ranking.best[row]);
    }
  });
  return ranking;
}

RowRanking rank_unchecked(const DecodingStep& step,
                          const std::vector<StepConstraint>& constraints,
                          int64_t k,
                          bool needs_probabilities) {
  if (step.deferred)
    return rank_deferred(*step.deferred, constraints, k, needs_probabilities);
  const StepOutput& output = step.output;
  return output.scores.scalar_type() == at::kDouble ? rank_all<double>(output, constraints, k)
                                                    : rank_all<float>(output, constraints, k);
}

void reject_not_finite(const std::vector<double>& normalizers) {
  if (std::none_of(
          normalizers.begin(), normalizers.end(), [](double norm) { return std::isnan(norm); }))
    return;
  throw DivergenceError("the scores of the model are not finite",
                        "Training of the checkpoint may have diverged: `phraseq inspect` shows "
                        "its tensors. Or try --precision fp32.");
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
  return log_probability + constraint.change_of(column);
}

}  // namespace

std::vector<std::vector<RankedColumn>> rank_rows(const DecodingStep& step,
                                                 const std::vector<StepConstraint>& constraints,
                                                 int64_t k,
                                                 bool needs_probabilities) {
  const WorkSpan span(Work::kScores);
  RowRanking ranking = rank_unchecked(step, constraints, k, needs_probabilities);
  reject_not_finite(ranking.normalizers);
  reject_impossible(ranking.best);
  return std::move(ranking.best);
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

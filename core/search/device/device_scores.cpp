#include "core/search/device/device_scores.h"

#include <algorithm>

#include <ATen/ops/cat.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros.h>

#include "core/data/device/to_device.h"
#include "core/search/constraints.h"

namespace phraseq {
namespace {

constexpr int64_t kMoreForTies = 8;

/// The most that any row asks for.
struct Extent {
  int64_t best = 0;     ///< with the columns requested by number, which may be among the best
  int64_t columns = 0;  ///< asked for by number

  explicit Extent(std::span<const ScoreQuery> queries) {
    for (const ScoreQuery& query : queries) {
      const auto own = static_cast<int64_t>(query.columns.size());
      columns = std::max(columns, own);
      if (query.best > 0)
        best = std::max(best, query.best + own + kMoreForTies);
    }
  }
};

/// [rows, columns] int64, filled up with column 0.
at::Tensor asked_columns(std::span<const ScoreQuery> queries, int64_t columns) {
  at::Tensor asked = at::zeros({static_cast<int64_t>(queries.size()), columns}, at::kLong);
  auto* row = asked.data_ptr<int64_t>();
  for (const ScoreQuery& query : queries) {
    std::copy(query.columns.begin(), query.columns.end(), row);
    row += columns;
  }
  return asked;
}

/// Returns the row's best columns except those it asks for by number.
std::vector<RankedColumn> best_of(const double* scores,
                                  const double* columns,
                                  int64_t found,
                                  const ScoreQuery& query) {
  std::vector<RankedColumn> best;
  for (int64_t i = 0; i < found; ++i) {
    if (scores[i] > kImpossible)
      best.push_back({scores[i], static_cast<int64_t>(columns[i])});
  }
  query.keep_best_unnamed(best);
  return best;
}

}  // namespace

/// [rows, 1] fp64: ln Σ e^score, 0 where scores are normalized; NaN as log_sum_exp gives it.
at::Tensor DeviceScores::normalizers() const {
  const at::Tensor highest = scores_.amax(1, /*keepdim=*/true);
  const at::Tensor sums =
      scores_.sub(highest).exp_().sum(at::IntArrayRef{1}, /*keepdim=*/true, at::kDouble);
  const at::Tensor normalizers = sums.log_().add_(highest);
  return normalized_ ? normalizers.mul_(0) : normalizers;
}

std::vector<ScoreAnswer> DeviceScores::answer(std::span<const ScoreQuery> queries) const {
  const Extent extent(queries);
  const int64_t found = std::min(extent.best, columns());
  const auto [values, places] = at::topk(scores_, found, 1);
  const at::Tensor asked =
      scores_.gather(1, to_device(asked_columns(queries, extent.columns), scores_.device()));
  const at::Tensor all =
      at::cat(
          {values.to(at::kDouble), places.to(at::kDouble), asked.to(at::kDouble), normalizers()},
          1)
          .cpu();  // [rows, 2 · found + asked columns + 1]
  std::vector<ScoreAnswer> answers;
  for (size_t row = 0; row < queries.size(); ++row) {
    const double* const numbers =
        all.const_data_ptr<double>() + static_cast<int64_t>(row) * all.size(1);
    const double* const own = numbers + 2 * found;
    const auto count = static_cast<int64_t>(queries[row].columns.size());
    answers.push_back({numbers[all.size(1) - 1],
                       best_of(numbers, numbers + found, found, queries[row]),
                       {own, own + count}});
  }
  return answers;
}

}  // namespace phraseq

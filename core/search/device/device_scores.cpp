#include "core/search/device/device_scores.h"

#include <algorithm>

#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros.h>

#include "core/data/device/to_device.h"
#include "core/nn/functional/device/best_columns.h"
#include "core/nn/functional/device/gpu_kernels.h"
#include "core/nn/functional/sum_type.h"
#include "core/search/constraints.h"

namespace phraseq {
namespace {

/// The number of extra columns that LibTorch's operator is asked for, because it returns any of the
/// columns with the same score.
constexpr int64_t kMoreForTies = 8;
constexpr int64_t kRowsPerTask = 64;

/// The largest number of columns that any row requests.
struct Extent {
  int64_t best = 0;     ///< with the columns requested by number, which may be among the best
  int64_t columns = 0;  ///< requested by number

  explicit Extent(std::span<const ScoreQuery> queries) {
    for (const ScoreQuery& query : queries) {
      const auto own = static_cast<int64_t>(query.columns.size());
      columns = std::max(columns, own);
      if (query.best > 0)
        best = std::max(best, query.best + own);
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

/// Returns the row's best columns except those requested by number.
template <class Number>
std::vector<RankedColumn> best_of(const Number* scores,
                                  const Number* columns,
                                  int64_t found,
                                  const ScoreQuery& query) {
  std::vector<RankedColumn> best;
  best.reserve(static_cast<size_t>(found));
  for (int64_t i = 0; i < found; ++i) {
    if (scores[i] > kImpossible)
      best.push_back({static_cast<double>(scores[i]), static_cast<int64_t>(columns[i])});
  }
  query.keep_best_unnamed(best);
  return best;
}

/// Reads the answers from `all` [rows, 2 · found + asked columns + 1]: the best scores, their
/// columns, the scores asked for, and the normalizer.
template <class Number>
std::vector<ScoreAnswer> read_answers(const at::Tensor& all,
                                      int64_t found,
                                      std::span<const ScoreQuery> queries) {
  std::vector<ScoreAnswer> answers(queries.size());
  const auto rows = static_cast<int64_t>(queries.size()), width = all.size(1);
  at::parallel_for(0, rows, kRowsPerTask, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const ScoreQuery& query = queries[static_cast<size_t>(row)];
      const Number* const numbers = all.const_data_ptr<Number>() + row * width;
      const Number* const own = numbers + 2 * found;
      answers[static_cast<size_t>(row)] = {static_cast<double>(numbers[width - 1]),
                                           best_of(numbers, numbers + found, found, query),
                                           {own, own + static_cast<int64_t>(query.columns.size())}};
    }
  });
  return answers;
}

/// [rows, 1] fp64: ln Σ e^score; NaN in the same cases as log_sum_exp.
at::Tensor normalizers_of(const at::Tensor& scores) {
  const at::Tensor highest = scores.amax(1, /*keepdim=*/true);
  const at::Tensor sums =
      scores.sub(highest).exp_().sum(at::IntArrayRef{1}, /*keepdim=*/true, at::kDouble);
  return sums.log_().add_(highest);
}

}  // namespace

at::Tensor DeviceScores::found_by_operators(const at::Tensor& asked, int64_t best) const {
  const auto type = nn::sum_type(scores_);
  const at::Tensor scores = scores_.to(type);
  const auto [values, places] = at::topk(scores, best, 1);
  return at::cat({values.to(at::kDouble),
                  places.to(at::kDouble),
                  scores.gather(1, asked).to(at::kDouble),
                  normalizers_of(scores)},
                 1);
}

std::vector<ScoreAnswer> DeviceScores::answer(std::span<const ScoreQuery> queries) const {
  const Extent extent(queries);
  const bool has_kernel = nn::gpu::has_kernels(scores_) && extent.best <= nn::gpu::kMaxBestColumns;
  const int64_t found = std::min(extent.best + (has_kernel ? 0 : kMoreForTies), columns());
  const at::Tensor asked = to_device(asked_columns(queries, extent.columns), scores_.device());
  std::vector<ScoreAnswer> answers =
      has_kernel
          ? read_answers<float>(nn::gpu::best_columns(scores_, asked, found).cpu(), found, queries)
          : read_answers<double>(found_by_operators(asked, found).cpu(), found, queries);
  if (normalized_) {
    for (ScoreAnswer& each : answers) each.normalizer *= 0;  // NaN stays
  }
  return answers;
}

}  // namespace phraseq

#include "core/nn/packed/packed_scores.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include "core/base/work_profile.h"
#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/packed/packed_product.h"

namespace phraseq::nn {
namespace {

using kernels::kScoreBlock;

constexpr float kLowest = -std::numeric_limits<float>::infinity();
constexpr int64_t kSegment = 2048;  // columns with their own sum
constexpr int64_t kTileRows = 60;
constexpr int64_t kTileElements = 32768;  // elements of the matrix: 128 KB in fp32
constexpr int64_t kTileColumns = 512;

/// The results of one row for the columns of one segment.
struct Partial {
  bool is_bad = false;  ///< a NaN or +infinity was seen
  float highest = kLowest;
  double sum = 0;  ///< Σ e^(score - highest)
};

/// A lower bound for the scores of a row's wanted columns. Threads raise it as they find better
/// columns.
class RowBound {
 public:
  float value() const { return value_.load(std::memory_order_relaxed); }
  void raise(float value) {
    float old = this->value();
    while (value > old && !value_.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<float> value_ = kLowest;
};

/// The number of columns that are kept for a query: columns requested by number may be among the
/// best.
int64_t wanted_by(const ScoreQuery& query) {
  return query.best == 0 ? 0 : query.best + static_cast<int64_t>(query.columns.size());
}

/// The best of a row's columns that one thread has seen: a heap whose front is the worst of them.
class BestColumns {
 public:
  BestColumns(RankedColumn* place, int64_t wanted) : place_(place), wanted_(wanted) {}

  int64_t wanted() const { return wanted_; }
  std::span<const RankedColumn> found() const { return {place_, static_cast<size_t>(count_)}; }

  /// Keeps a column if it is among the wanted ones.
  void offer(float score, int64_t column, RowBound& bound) {
    const RankedColumn added{score, column};
    if (count_ == wanted_) {
      if (!ranks_before(added, place_[0]))
        return;
      std::pop_heap(place_, place_ + count_, best_first);
      place_[count_ - 1] = added;
    } else {
      place_[count_++] = added;
    }
    std::push_heap(place_, place_ + count_, best_first);
    if (count_ == wanted_)
      bound.raise(static_cast<float>(place_[0].log_probability));
  }

 private:
  RankedColumn* place_;
  int64_t wanted_;
  int64_t count_ = 0;
};

/// The best columns of all rows in the segments that one thread visits: one heap per row; with one
/// per segment, a wide beam would keep a large part of the vocabulary.
class FoundColumns {
 public:
  explicit FoundColumns(std::span<const ScoreQuery> queries) {
    int64_t room = 0;
    for (const ScoreQuery& query : queries) room += wanted_by(query);
    room_ = at::empty({room * static_cast<int64_t>(sizeof(RankedColumn))}, at::kByte);
    auto* place = static_cast<RankedColumn*>(room_.mutable_data_ptr());
    rows_.reserve(queries.size());
    for (const ScoreQuery& query : queries) {
      rows_.emplace_back(place, wanted_by(query));
      place += wanted_by(query);
    }
  }

  BestColumns& of_row(size_t row) { return rows_[row]; }

 private:
  std::vector<BestColumns> rows_;
  at::Tensor room_;
};

/// The results of one thread for a row.
struct RowFindings {
  Partial& segment;
  BestColumns& best;
  RowBound& bound;
};

/// Adds the scores, the largest of which is `highest`, to the sum of their exponentials.
void add_to_sum(const float* scores, int64_t count, float highest, bool is_needed, Partial& to) {
  if (highest > to.highest) {
    to.sum *= std::exp(static_cast<double>(to.highest) - static_cast<double>(highest));
    to.highest = highest;
  }
  if (is_needed)
    to.sum += cpu::loops<float>().shifted_sum(scores, count, to.highest);
}

/// Offers the columns that reach the row's bound; `maxima` are the maxima of the blocks of scores.
void offer_columns(const float* scores,
                   const float* maxima,
                   int64_t first,
                   int64_t count,
                   const RowFindings& row) {
  const auto& loops = cpu::loops<float>();
  for (int64_t begin = 0; begin < count; begin += kScoreBlock) {
    const float maximum = maxima[begin / kScoreBlock];
    if (maximum < row.bound.value() || maximum == kLowest)
      continue;
    const int64_t size = std::min(kScoreBlock, count - begin);
    for (uint64_t left = loops.reaching(scores + begin, size, row.bound.value()); left != 0;
         left &= left - 1) {
      const int64_t column = begin + std::countr_zero(left);
      if (scores[column] >= row.bound.value() && scores[column] > kLowest)
        row.best.offer(scores[column], first + column, row.bound);
    }
  }
}

/// Adds the scores of the columns from `first` on.
void add_scores(const float* scores,
                int64_t first,
                int64_t count,
                bool needs_normalizer,
                const RowFindings& row) {
  float maxima[kTileColumns / kScoreBlock];
  Partial& to = row.segment;
  to.is_bad = cpu::loops<float>().block_maxima(scores, count, maxima) || to.is_bad;
  const int64_t blocks = (count + kScoreBlock - 1) / kScoreBlock;
  const float highest = *std::max_element(maxima, maxima + blocks);
  if (to.is_bad || highest == kLowest)
    return;
  add_to_sum(scores, count, highest, needs_normalizer, to);
  if (row.best.wanted() > 0 && highest >= row.bound.value())
    offer_columns(scores, maxima, first, count, row);
}

/// Combines one row's segments, in order, to its normalizer.
double normalizer_of(std::span<const Partial> segments) {
  float highest = kLowest;
  for (const Partial& segment : segments) {
    if (segment.is_bad)
      return std::numeric_limits<double>::quiet_NaN();
    highest = std::max(highest, segment.highest);
  }
  if (highest == kLowest)
    return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (const Partial& segment : segments) {
    if (segment.highest > kLowest)
      sum += segment.sum *
             std::exp(static_cast<double>(segment.highest) - static_cast<double>(highest));
  }
  return static_cast<double>(highest) + std::log(sum);
}

/// The segments of all rows, [rows, segments].
class Partials {
 public:
  Partials(size_t rows, int64_t segments)
      : segments_(segments), all_(rows * static_cast<size_t>(segments)), bounds_(rows) {}

  std::span<Partial> of_row(int64_t row) {
    return {all_.data() + row * segments_, static_cast<size_t>(segments_)};
  }
  RowBound& bound(int64_t row) { return bounds_[static_cast<size_t>(row)]; }

 private:
  int64_t segments_;
  std::vector<Partial> all_;
  std::vector<RowBound> bounds_;
};

class PackedScores final : public DeferredScores {
 public:
  PackedScores(const PackedMatrix& matrix, const DecoderOutput& output)
      : matrix_(matrix),
        hidden_(output.hidden.contiguous()),
        bias_(output.output_bias),
        forbidden_(output.forbidden) {}

  int64_t rows() const override { return hidden_.size(0); }
  int64_t columns() const override { return matrix_.columns(); }

  std::vector<ScoreAnswer> answer(std::span<const ScoreQuery> queries) const override {
    const WorkSpan span(Work::kScores, {rows(), columns(), matrix_.depth()});
    const int64_t segments = (columns() + kSegment - 1) / kSegment;
    Partials partials(queries.size(), segments);
    std::vector<FoundColumns> found;
    std::mutex found_mutex;
    std::vector<ScoreAnswer> answers(queries.size());
    for (size_t row = 0; row < queries.size(); ++row)
      answers[row].scores.resize(queries[row].columns.size());
    const PreparedRows prepared(matrix_, hidden_);
    const int64_t work = rows() * kSegment * matrix_.depth();
    at::parallel_for(0,
                     segments,
                     std::max<int64_t>(1, 262144 / std::max<int64_t>(1, work)),
                     [&](int64_t begin, int64_t end) {
                       FoundColumns best(queries);
                       for (int64_t segment = begin; segment < end; ++segment)
                         visit_segment(prepared, segment, queries, partials, best, answers);
                       const std::lock_guard lock(found_mutex);
                       found.push_back(std::move(best));
                     });
    for (size_t row = 0; row < queries.size(); ++row) {
      for (FoundColumns& part : found) {
        const auto columns = part.of_row(row).found();
        answers[row].best.insert(answers[row].best.end(), columns.begin(), columns.end());
      }
      finish(queries[row], partials.of_row(static_cast<int64_t>(row)), answers[row]);
    }
    return answers;
  }

 private:
  /// Columns of a tile whose part of the matrix stays in the second cache.
  int64_t tile_columns() const {
    const int64_t fitting = kTileElements / std::max<int64_t>(1, matrix_.depth());
    return std::clamp(fitting / kScoreBlock * kScoreBlock, kScoreBlock, kTileColumns);
  }

  void visit_segment(const PreparedRows& prepared,
                     int64_t segment,
                     std::span<const ScoreQuery> queries,
                     Partials& partials,
                     FoundColumns& best,
                     std::vector<ScoreAnswer>& answers) const {
    const int64_t last = std::min((segment + 1) * kSegment, columns()), width = tile_columns();
    const cpu::ThreadScratch<float> scratch(std::min(rows(), kTileRows) * width);
    for (int64_t first = segment * kSegment; first < last; first += width) {
      const int64_t count = std::min(width, last - first);
      for (int64_t from = 0; from < rows(); from += kTileRows) {
        const int64_t to = std::min(from + kTileRows, rows());
        // The kernel counts columns from the matrix's column 0, but the scratch memory begins with
        // column `first`.
        matrix_.multiply_columns(prepared,
                                 from,
                                 to,
                                 first,
                                 first + count,
                                 cpu::data<float>(bias_),
                                 {scratch.get() - first, width});
        for (int64_t row = from; row < to; ++row) {
          const auto place = static_cast<size_t>(row);
          float* scores = scratch.get() + (row - from) * width;
          forbid(scores, first, count);
          add_scores(scores,
                     first,
                     count,
                     queries[place].needs_normalizer,
                     {partials.of_row(row)[static_cast<size_t>(segment)],
                      best.of_row(place),
                      partials.bound(row)});
          note_columns(queries[place], scores, first, count, answers[place]);
        }
      }
    }
  }

  void forbid(float* scores, int64_t first, int64_t count) const {
    for (const int64_t column : forbidden_) {
      if (column >= first && column < first + count)
        scores[column - first] = DecoderOutput::kForbiddenScore;
    }
  }

  static void note_columns(const ScoreQuery& query,
                           const float* scores,
                           int64_t first,
                           int64_t count,
                           ScoreAnswer& answer) {
    for (size_t i = 0; i < query.columns.size(); ++i) {
      const int64_t column = query.columns[i];
      if (column >= first && column < first + count)
        answer.scores[i] = static_cast<double>(scores[column - first]);
    }
  }

  static void finish(const ScoreQuery& query,
                     std::span<const Partial> segments,
                     ScoreAnswer& answer) {
    answer.normalizer = normalizer_of(segments);
    if (!query.needs_normalizer && !std::isnan(answer.normalizer))
      answer.normalizer = 0;
    query.keep_best_unnamed(answer.best);
  }

  const PackedMatrix& matrix_;
  at::Tensor hidden_;  // [rows, model]
  at::Tensor bias_;    // [vocab] or undefined
  std::vector<int64_t> forbidden_;
};

}  // namespace

std::shared_ptr<const DeferredScores> packed_scores(const DecoderOutput& output, Context& context) {
  const PackedMatrix* matrix = packed_matrix(
      output.hidden, output.output_weight, context, [&] { return output.output_weight; });
  return matrix ? std::make_shared<PackedScores>(*matrix, output) : nullptr;
}

}  // namespace phraseq::nn

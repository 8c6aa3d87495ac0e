#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/score/metrics/metric.h"

namespace phraseq::score {

using Lines = std::vector<std::string>;

/// One row of a metric's statistics for each sentence.
struct Statistics {
  size_t columns = 0;
  std::vector<double> values;  ///< row by row

  size_t sentences() const { return columns == 0 ? 0 : values.size() / columns; }
  std::span<const double> row(size_t sentence) const {
    return std::span(values).subspan(sentence * columns, columns);
  }
  /// The column sums, added from the first sentence to the last.
  PHRASEQ_API std::vector<double> sums() const;
};

/// The number of threads for the value of an option: 0 = one per core.
PHRASEQ_API size_t thread_count(int threads);

/// Calls `work(begin, end)` for pieces that together make up 0 .. count-1, on up to
/// `thread_count(threads)` threads. An exception thrown by a piece is rethrown here.
PHRASEQ_API void in_parallel(size_t count,
                             int threads,
                             const std::function<void(size_t begin, size_t end)>& work);

/// The statistics of a system. `references` are streams, each as long as `hypotheses`; throws a
/// DataError with the counts if they are not, or if there are no sentences, and a UsageError
/// without references.
PHRASEQ_API Statistics collect_statistics(const Metric& metric,
                                          const Lines& hypotheses,
                                          std::span<const Lines> references,
                                          int threads);

}  // namespace phraseq::score

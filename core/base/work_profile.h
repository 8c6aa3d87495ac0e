#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>

#include "core/base/api.h"

namespace phraseq {

/// Kinds of work that `generate --profile` tells apart.
enum class Work {
  kProduct,    ///< matrix products of linear maps, by shape
  kAttention,  ///< of the encoder and of decoding steps
  kScores,     ///< log-softmax and the best words of each row; with a shape, also their product
  kNorms,      ///< layer normalization, residuals, dropout
  kEmbedding,
  kCaches,  ///< keeping keys and values, reordering hypotheses
  kModel,   ///< what remains of the model: tensors, small operators
  kSearch,  ///< what remains of the search
  kText,    ///< reading and writing text, subwords
  kLoading,
  kStart,  ///< before the model is loaded: the program, its libraries and plugins
};

/// A product [rows, depth] × [depth, columns]; rows are counted in classes, up to a power of two.
struct ProductShape {
  int64_t rows = 0, columns = 0, depth = 0;
  auto operator<=>(const ProductShape&) const = default;
};

/// What a line of the profile counts: one kind of work and, for products, one shape.
struct WorkKey {
  Work work = Work::kModel;
  ProductShape shape;
  auto operator<=>(const WorkKey&) const = default;
};

/// What was measured for a WorkKey.
struct WorkTotals {
  int64_t calls = 0;
  int64_t nanoseconds = 0;  ///< excluding the spans inside
  double multiply_adds = 0;
};

/// Starts measuring, in all threads; the time since the process was started becomes Work::kStart.
PHRASEQ_API void start_work_profile();
/// What finished threads and this one have measured.
PHRASEQ_API std::map<WorkKey, WorkTotals> work_profile();
/// The profile as a table, the largest share first.
PHRASEQ_API std::string work_profile_text(const std::map<WorkKey, WorkTotals>& profile);

namespace profiling {
extern PHRASEQ_API std::atomic<bool> is_on;
}

/// Measures the time until it goes out of scope as one kind of work, less the spans inside it.
/// Without a profile, it costs only the check of a flag.
class PHRASEQ_API WorkSpan {
 public:
  explicit WorkSpan(Work work, const ProductShape& shape = {}) {
    if (profiling::is_on.load(std::memory_order_relaxed))
      begin(work, shape);
  }
  ~WorkSpan() {
    if (measures_)
      end();
  }
  WorkSpan(const WorkSpan&) = delete;
  WorkSpan& operator=(const WorkSpan&) = delete;

 private:
  void begin(Work work, const ProductShape& shape);
  void end();

  bool measures_ = false;
  WorkKey key_;
  double multiply_adds_ = 0;
  int64_t start_ = 0, inside_ = 0;  // nanoseconds
  WorkSpan* outer_ = nullptr;
};

}  // namespace phraseq

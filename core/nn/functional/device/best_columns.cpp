#include "core/nn/functional/device/best_columns.h"

#include <ATen/ops/empty.h>

#include "core/nn/functional/device/gpu_kernels.h"

namespace phraseq::nn::gpu {
namespace {

/// The struct BestShape of best_columns.cu.
struct BestShape {
  long long rows;
  int columns, best, asked;
};

}  // namespace

at::Tensor best_columns(const at::Tensor& scores, const at::Tensor& asked, int64_t best) {
  constexpr uint32_t kSharedBytes = 5 * 1024;  // CollectedScores of best_columns.cu
  BestShape shape{scores.size(0),
                  static_cast<int>(scores.size(1)),
                  static_cast<int>(best),
                  static_cast<int>(asked.size(1))};
  const at::Tensor rows = scores.contiguous(), wanted = asked.contiguous();
  const at::Tensor found =
      at::empty({shape.rows, 2 * best + shape.asked + 1}, scores.options().dtype(at::kFloat));
  Arguments arguments;
  arguments.add(rows).add(wanted).add(found).add_value(shape);
  if (shape.rows > 0) {
    launch(
        rows,
        cuda::best_columns_kernel(element_of(scores.scalar_type())),
        "best_columns",
        {.blocks = static_cast<uint32_t>(shape.rows), .threads = 32, .shared_bytes = kSharedBytes},
        arguments);
  }
  return found;
}

}  // namespace phraseq::nn::gpu

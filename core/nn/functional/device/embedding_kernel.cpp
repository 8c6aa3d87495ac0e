#include "core/nn/functional/device/embedding_kernel.h"

#include <optional>

#include <ATen/ops/empty.h>
#include <ATen/ops/sort.h>

#include "core/nn/functional/device/gpu_kernels.h"

namespace phraseq::nn::gpu {
namespace {

/// The struct EmbeddingShape of embedding.cu.
struct EmbeddingShape {
  long long rows;
  int columns;
  float scale;
  unsigned long long key;
  uint32_t threshold;
  float kept;

  EmbeddingShape(int64_t tokens, int64_t model, double factor, const Mask& mask)
      : rows(tokens),
        columns(static_cast<int>(model)),
        scale(static_cast<float>(factor)),
        key(mask.key),
        threshold(mask.threshold),
        kept(mask.kept) {}
};

}  // namespace

at::Tensor embed(const at::Tensor& table,
                 const at::Tensor& position_table,
                 const at::Tensor& ids,
                 const at::Tensor& positions,
                 const EmbeddingNumbers& numbers) {
  constexpr int64_t kThreads = 256;
  const at::Tensor rows = table.contiguous();
  const at::Tensor places = position_table.defined() ? position_table.contiguous() : position_table;
  const at::Tensor y =  // [tokens, model]
      at::empty({ids.size(0), table.size(1)}, table.options().dtype(numbers.type));
  EmbeddingShape shape(ids.size(0), table.size(1), numbers.scale, mask_of(numbers.p, numbers.key));
  Arguments arguments;
  arguments.add(ids).add(positions).add(rows).add(places).add(y).add_value(shape);
  if (y.numel() > 0) {
    launch(y,
           cuda::embedding_kernel(element_of(numbers.type)),
           "embed",
           {.blocks = blocks_for(y.numel(), kThreads), .threads = kThreads},
           arguments);
  }
  return y;
}

void embed_backward(const at::Tensor& dy,
                    const at::Tensor& ids,
                    const at::Tensor& d_table,
                    const EmbeddingNumbers& numbers) {
  constexpr int64_t kThreads = 128;
  if (dy.numel() == 0)
    return;
  const auto [sorted, order] = at::sort(ids, std::optional<bool>(true), 0, false);  // [tokens]
  const at::Tensor partial = at::empty(dy.sizes(), d_table.options());  // [tokens, model]
  EmbeddingShape shape(dy.size(0), dy.size(1), numbers.scale, mask_of(numbers.p, numbers.key));
  long long skip = numbers.padding_id;
  const cuda::KernelSource& kernel = cuda::embedding_kernel(element_of(dy.scalar_type()));
  const cuda::LaunchShape blocks = {.blocks = static_cast<uint32_t>(shape.rows),
                                    .blocks_y = blocks_for(shape.columns, kThreads),
                                    .threads = kThreads};
  Arguments cuts, sums;
  cuts.add(dy).add(sorted).add(order).add(partial).add_value(skip).add_value(shape);
  launch(dy, kernel, "embed_backward_cuts", blocks, cuts);
  sums.add(partial).add(sorted).add(d_table).add_value(skip).add_value(shape);
  launch(dy, kernel, "embed_backward", blocks, sums);
}

}  // namespace phraseq::nn::gpu

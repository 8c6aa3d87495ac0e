#include "core/nn/functional/device/few_rows_product.h"

#include <bit>

#include <ATen/ops/empty.h>

#include "core/nn/functional/device/gpu_kernels.h"

namespace phraseq::nn::gpu {
namespace {

constexpr int64_t kMaxRows = 8;

/// The struct FewRowsShape of few_rows_product.cu.
struct FewRowsShape {
  int rows, inner, columns;
  long long stride;
  int relu;
};

}  // namespace

bool few_rows_product_applies(const at::Tensor& x, const at::Tensor& weight) {
  return has_kernels(x) && x.size(0) > 0 && x.size(0) <= kMaxRows &&
         weight.scalar_type() == x.scalar_type() && weight.is_contiguous() && x.size(1) > 0 &&
         x.size(1) % pack_of(x) == 0 && x.stride(1) == 1 && x.stride(0) % pack_of(x) == 0 &&
         are_aligned({x, weight});
}

at::Tensor few_rows_product(const at::Tensor& x,
                            const at::Tensor& weight,
                            const at::Tensor& bias,
                            bool relu) {
  constexpr int64_t kWarpsOfABlock = 4;
  FewRowsShape shape{static_cast<int>(x.size(0)),
                     static_cast<int>(x.size(1)),
                     static_cast<int>(weight.size(0)),
                     x.stride(0),
                     relu ? 1 : 0};
  const at::Tensor y = at::empty({x.size(0), weight.size(0)}, x.options());  // [rows, columns]
  const at::Tensor shift = bias.defined() ? bias.contiguous() : bias;
  Arguments arguments;
  arguments.add(x).add(weight).add(shift).add(y).add_value(shape);
  // A power of two: few variants, each compiled when it is first used.
  const auto variant = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(x.size(0))));
  if (shape.columns > 0) {
    launch(x,
           cuda::few_rows_product_kernel(element_of(x.scalar_type()), variant),
           "few_rows_product",
           {.blocks = blocks_for(shape.columns, kWarpsOfABlock), .threads = 32 * kWarpsOfABlock},
           arguments);
  }
  return y;
}

}  // namespace phraseq::nn::gpu

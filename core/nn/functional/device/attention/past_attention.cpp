#include "core/nn/functional/device/attention/past_attention.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "core/nn/functional/device/gpu_kernels.h"

namespace phraseq::nn::gpu {
namespace {

constexpr int kMaxBlocks = 32;

/// The struct PastBlocks of past_attention.cu.
struct BlockTable {
  int count = 0;
  int first_step[kMaxBlocks] = {};
  int rows[kMaxBlocks] = {};
  long long start[kMaxBlocks] = {};

  explicit BlockTable(const PastBlocks& blocks) {
    const auto* const base = static_cast<const char*>(blocks.front().const_data_ptr());
    int step = 0;
    for (const at::Tensor& block : blocks) {
      const auto place = static_cast<size_t>(count++);
      first_step[place] = step;
      rows[place] = static_cast<int>(block.size(1));
      start[place] = (static_cast<const char*>(block.const_data_ptr()) - base) /
                     static_cast<long long>(block.element_size());
      step += static_cast<int>(block.size(0));
    }
  }
};

/// The struct PastShape of past_attention.cu.
struct PastShape {
  long long rows, stride, ancestor_stride;
  int model, steps;
  float scale;
};

}  // namespace

bool past_attention_applies(const at::Tensor& kvq, int64_t heads, size_t blocks) {
  constexpr int64_t kPack = 8, kMaxHeads = 65535;
  return has_kernels(kvq) && !at::GradMode::is_enabled() && kvq.size(0) > 0 &&
         blocks <= kMaxBlocks && heads <= kMaxHeads && kvq.size(1) % (3 * heads * kPack) == 0 &&
         kvq.stride(1) == 1 && kvq.stride(0) % kPack == 0 && are_aligned({kvq});
}

at::Tensor past_attention(const at::Tensor& kvq,
                          const PastBlocks& blocks,
                          const Ancestry& ancestry,
                          int64_t heads,
                          double scale) {
  constexpr int64_t kWarpsOfABlock = 4;
  const int64_t rows = kvq.size(0), model = kvq.size(1) / 3;
  const at::Tensor ancestors = ancestry.on(kvq.device());  // [rows, steps or more]
  const at::Tensor out = at::empty({rows, model}, kvq.options());
  BlockTable table(blocks);
  PastShape shape{rows,
                  kvq.stride(0),
                  ancestors.size(1),
                  static_cast<int>(model),
                  static_cast<int>(ancestry.steps()),
                  static_cast<float>(scale)};
  Arguments arguments;
  arguments.add(kvq).add(blocks.front()).add(ancestors).add(out);
  arguments.add_value(table).add_value(shape);
  launch(kvq,
         cuda::past_attention_kernel(element_of(kvq.scalar_type()), model / heads),
         "attend_to_past",
         {.blocks = blocks_for(rows, kWarpsOfABlock),
          .blocks_y = static_cast<uint32_t>(heads),
          .threads = 32 * kWarpsOfABlock},
         arguments);
  return out;
}

}  // namespace phraseq::nn::gpu

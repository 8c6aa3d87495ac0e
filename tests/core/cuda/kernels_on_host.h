#pragma once

// The CUDA kernels as C++ functions: a block has one thread, a warp one lane, and blocks run one
// after the other.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/checkpoint/safetensors/float_values.h"

namespace phraseq::cuda::on_host {

struct Dimensions {
  unsigned x = 0, y = 0;
};
inline Dimensions blockIdx, threadIdx, blockDim{1, 1}, gridDim{1, 1};

inline float __uint_as_float(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint32_t __float_as_uint(float value) { return std::bit_cast<uint32_t>(value); }
inline float __expf(float x) { return std::exp(x); }

inline unsigned short host_to_half(float value) { return to_half(value); }
inline float host_from_half(unsigned short bits) { return static_cast<float>(from_half(bits)); }

/// The memory that the threads of a block share. Its contents are unspecified, as on a GPU.
inline void* host_shared_memory() {
  alignas(16) static std::array<unsigned char, 256 * 1024> memory;
  memory.fill(0xff);  // NaN in every type
  return memory.data();
}

/// Calls the kernel for every block of a grid.
template <class Kernel>
void run(unsigned blocks, unsigned blocks_y, const Kernel& kernel) {
  gridDim = {blocks, blocks_y};
  for (blockIdx.y = 0; blockIdx.y < blocks_y; ++blockIdx.y) {
    for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) kernel();
  }
}

// A struct for each type of activations, so that tests can be templates over it.
#define PHRASEQ_ON_HOST 1
#define PHRASEQ_WARP 1
#define PHRASEQ_KERNEL static
#define PHRASEQ_MAY_ALIAS __attribute__((may_alias))
#define PHRASEQ_MEMBER
#define PHRASEQ_SELDOM
#define PHRASEQ_GRID_CONSTANT const
#define __device__ static
// One lane holds a row of up to kMaxColumns; if rows are read in packs, of a multiple of 8 columns.
inline constexpr int kMaxColumns = 512;
#define PHRASEQ_WIDTH 1
#define PHRASEQ_PACKS 512
inline constexpr int kHeadDim = 32;
#define PHRASEQ_HEAD_DIM 32
#define PHRASEQ_ROWS 8

// clang-format off
#define PHRASEQ_ELEMENT 0
struct Fp32 {
#include "core/cuda/kernels/common.cu"
#include "core/cuda/kernels/adam.cu"
#include "core/cuda/kernels/dropout.cu"
#include "core/cuda/kernels/dropout_add_norm.cu"
#include "core/cuda/kernels/embedding.cu"
#include "core/cuda/kernels/loss.cu"
#include "core/cuda/kernels/column_sums.cu"
#include "core/cuda/kernels/past_attention.cu"
#include "core/cuda/kernels/best_columns.cu"
#include "core/cuda/kernels/few_rows_product.cu"
#include "core/cuda/kernels/tile.cu"
#include "core/cuda/kernels/staged.cu"
#include "core/cuda/kernels/heads.cu"
#include "core/cuda/kernels/attention.cu"
#include "core/cuda/kernels/grouped_attention.cu"
#include "core/cuda/kernels/windows.cu"
#include "core/cuda/kernels/lstm.cu"
};
#undef PHRASEQ_ELEMENT
#define PHRASEQ_ELEMENT 1
struct Bf16 {
#include "core/cuda/kernels/common.cu"
#include "core/cuda/kernels/adam.cu"
#include "core/cuda/kernels/dropout.cu"
#include "core/cuda/kernels/dropout_add_norm.cu"
#include "core/cuda/kernels/embedding.cu"
#include "core/cuda/kernels/loss.cu"
#include "core/cuda/kernels/column_sums.cu"
#include "core/cuda/kernels/past_attention.cu"
#include "core/cuda/kernels/best_columns.cu"
#include "core/cuda/kernels/few_rows_product.cu"
#include "core/cuda/kernels/tile.cu"
#include "core/cuda/kernels/staged.cu"
#include "core/cuda/kernels/heads.cu"
#include "core/cuda/kernels/attention.cu"
#include "core/cuda/kernels/grouped_attention.cu"
#include "core/cuda/kernels/windows.cu"
#include "core/cuda/kernels/lstm.cu"
};
#undef PHRASEQ_ELEMENT
#define PHRASEQ_ELEMENT 2
struct Fp16 {
#include "core/cuda/kernels/common.cu"
#include "core/cuda/kernels/adam.cu"
#include "core/cuda/kernels/dropout.cu"
#include "core/cuda/kernels/dropout_add_norm.cu"
#include "core/cuda/kernels/embedding.cu"
#include "core/cuda/kernels/loss.cu"
#include "core/cuda/kernels/column_sums.cu"
#include "core/cuda/kernels/past_attention.cu"
#include "core/cuda/kernels/best_columns.cu"
#include "core/cuda/kernels/few_rows_product.cu"
#include "core/cuda/kernels/tile.cu"
#include "core/cuda/kernels/staged.cu"
#include "core/cuda/kernels/heads.cu"
#include "core/cuda/kernels/attention.cu"
#include "core/cuda/kernels/grouped_attention.cu"
#include "core/cuda/kernels/windows.cu"
#include "core/cuda/kernels/lstm.cu"
};
#undef PHRASEQ_ELEMENT
#undef PHRASEQ_WIDTH
#undef PHRASEQ_PACKS
#define PHRASEQ_WIDTH 8
#define PHRASEQ_PACKS 64
#define PHRASEQ_ELEMENT 1
/// As Bf16, but reads rows in packs.
struct Bf16InPacks {
#include "core/cuda/kernels/common.cu"
#include "core/cuda/kernels/adam.cu"
#include "core/cuda/kernels/dropout.cu"
#include "core/cuda/kernels/dropout_add_norm.cu"
#include "core/cuda/kernels/embedding.cu"
#include "core/cuda/kernels/loss.cu"
#include "core/cuda/kernels/column_sums.cu"
#include "core/cuda/kernels/past_attention.cu"
#include "core/cuda/kernels/best_columns.cu"
#include "core/cuda/kernels/few_rows_product.cu"
#include "core/cuda/kernels/tile.cu"
#include "core/cuda/kernels/staged.cu"
#include "core/cuda/kernels/heads.cu"
#include "core/cuda/kernels/attention.cu"
#include "core/cuda/kernels/grouped_attention.cu"
#include "core/cuda/kernels/windows.cu"
#include "core/cuda/kernels/lstm.cu"
};
#undef PHRASEQ_ELEMENT
#undef PHRASEQ_WIDTH
#undef PHRASEQ_PACKS
// clang-format on
#undef __device__

/// Values in the type of activations.
template <class Device>
std::vector<typename Device::Element> narrowed(const std::vector<float>& values) {
  std::vector<typename Device::Element> elements;
  for (const float value : values) elements.push_back(Device::narrow(value));
  return elements;
}

}  // namespace phraseq::cuda::on_host

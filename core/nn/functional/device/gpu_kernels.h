#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/cuda/driver.h"

/// The interface between tensors and the CUDA kernels of core/cuda/kernels.
namespace phraseq::nn::gpu {

/// Whether the kernels support x and activations of `type`: on a GPU with NVRTC, in fp32, bf16 or
/// fp16, unless PHRASEQ_CUDA_KERNELS=0 is set in the environment.
PHRASEQ_API bool has_kernels(const at::Tensor& x, at::ScalarType type);
inline bool has_kernels(const at::Tensor& x) { return has_kernels(x, x.scalar_type()); }

/// The number that the kernels' sources use for a type of activations.
PHRASEQ_API int element_of(at::ScalarType type);

/// The arguments of a kernel, in the order of its parameters.
class PHRASEQ_API Arguments {
 public:
  Arguments() { pointers_.reserve(kMost); }
  Arguments(const Arguments&) = delete;  // it holds addresses of its own members
  Arguments& operator=(const Arguments&) = delete;
  /// Adds a tensor's address; null if it is undefined. At most 16 tensors.
  Arguments& add(const at::Tensor& x);
  /// Adds a number or a struct, which must exist until the launch.
  template <class Value>
  Arguments& add_value(Value& value) {
    pointers_.push_back(&value);
    return *this;
  }
  const std::vector<void*>& pointers() const { return pointers_; }

 private:
  static constexpr size_t kMost = 16;
  std::array<void*, kMost> addresses_;
  size_t addresses_used_ = 0;
  std::vector<void*> pointers_;
};

/// Launches a kernel on the device of x and LibTorch's default stream, which training and search
/// use.
PHRASEQ_API void launch(const at::Tensor& x,
                        const cuda::KernelSource& kernel,
                        const std::string& function,
                        cuda::LaunchShape shape,
                        const Arguments& arguments);

/// Whether each tensor is undefined or begins at a multiple of 16 bytes.
PHRASEQ_API bool are_aligned(std::initializer_list<at::Tensor> tensors);

/// x without gaps, beginning at a multiple of 16 bytes: x itself if it is so.
PHRASEQ_API at::Tensor aligned(const at::Tensor& x);

/// The number of blocks of size `block` for `count` elements.
inline uint32_t blocks_for(int64_t count, int64_t block) {
  return static_cast<uint32_t>((count + block - 1) / block);
}

/// The number of elements in 16 bytes, which a thread reads at once.
inline int64_t pack_of(const at::Tensor& x) { return 16 / static_cast<int64_t>(x.element_size()); }

/// The parameters of dropout in the kernels.
struct Mask {
  unsigned long long key = 0;  ///< 0 = none
  uint32_t threshold = 0;      ///< p · 2^32
  float kept = 1.0F;           ///< 1 / (1 - p)
};
/// The parameters of dropout with probability p; without dropout, the key is 0.
PHRASEQ_API Mask mask_of(double p, uint64_t key);

}  // namespace phraseq::nn::gpu

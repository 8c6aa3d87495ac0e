#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace phraseq::nn {

/// A cache of the last few tensors made from one or two lists of offsets: the layers of a model
/// request the same ones. Each thread has its own cache.
template <size_t kCount>
class KeptTensors {
 public:
  /// The tensor of `first` and `second` on `device`. If it is not in the cache, make() makes it,
  /// and it replaces the oldest one.
  template <class Make>
  at::Tensor get(const std::vector<int64_t>& first,
                 const std::vector<int64_t>& second,
                 at::Device device,
                 const Make& make) {
    for (const Kept& kept : all_kept_) {
      if (kept.tensor.defined() && kept.tensor.device() == device && kept.first == first &&
          kept.second == second)
        return kept.tensor;
    }
    Kept& kept = all_kept_[oldest_];
    oldest_ = (oldest_ + 1) % kCount;
    kept = {first, second, make()};
    return kept.tensor;
  }

 private:
  struct Kept {
    std::vector<int64_t> first, second;
    at::Tensor tensor;
  };

  std::array<Kept, kCount> all_kept_;
  size_t oldest_ = 0;
};

}  // namespace phraseq::nn

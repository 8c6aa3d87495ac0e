#include "core/nn/kernels/level.h"

namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {

template <typename T>
const Kernels<T>& table() {
  static const Kernels<T> made = [] {
    Kernels<T> kernels{};
    add_row_kernels(kernels);
    add_norm_kernels(kernels);
    add_embedding_kernels(kernels);
    add_attention_kernels(kernels);
    add_attend_row_kernel(kernels);
    add_softmax_kernels(kernels);
    add_loss_kernels(kernels);
    add_segment_kernels(kernels);
    add_additive_kernels(kernels);
    return kernels;
  }();
  return made;
}

template const Kernels<float>& table();
template const Kernels<double>& table();
template const Kernels<Bfloat16>& table();

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL

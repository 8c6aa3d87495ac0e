#pragma once

#include "core/nn/kernels/kernels.h"

/// Declarations shared by the sources that are compiled once per processor level.
namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {

/// Each function fills in its part of the table, in the source of the same name (add_row_kernels:
/// rows.cpp). Defined for float, double and Bfloat16.
template <typename T>
void add_row_kernels(Kernels<T>& kernels);
template <typename T>
void add_norm_kernels(Kernels<T>& kernels);
template <typename T>
void add_embedding_kernels(Kernels<T>& kernels);
template <typename T>
void add_attention_kernels(Kernels<T>& kernels);
template <typename T>
void add_attend_row_kernel(Kernels<T>& kernels);
template <typename T>
void add_softmax_kernels(Kernels<T>& kernels);
template <typename T>
void add_loss_kernels(Kernels<T>& kernels);
template <typename T>
void add_segment_kernels(Kernels<T>& kernels);
template <typename T>
void add_additive_kernels(Kernels<T>& kernels);

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL

/// Instantiates one of the functions above for the three types.
#define PHRASEQ_INSTANTIATE(function)       \
  template void function(Kernels<float>&);  \
  template void function(Kernels<double>&); \
  template void function(Kernels<Bfloat16>&)

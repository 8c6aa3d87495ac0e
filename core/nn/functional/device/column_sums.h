#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn {

/// The sums of the columns of x [rows, columns], in the same order in every run: [columns] in fp32,
/// fp64 for x in fp64. On a GPU, phraseq's own kernel is used if there is one.
PHRASEQ_API at::Tensor column_sums(const at::Tensor& x);

}  // namespace phraseq::nn

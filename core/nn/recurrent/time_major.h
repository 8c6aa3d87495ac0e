#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn {

/// The order in which a recurrent network walks through packed sentences: step by step, with one
/// row for every sentence that is long enough, the longest sentences first. The sentences that
/// continue are therefore always the first rows, and no row is padding.
struct PHRASEQ_API TimeMajor {
  /// Sentence i is rows offsets[i] to offsets[i+1]; `backwards` walks from its last row to its
  /// first.
  TimeMajor(const std::vector<int64_t>& offsets, at::Device device, bool backwards = false);

  /// Puts packed rows [rows, …] into the order of the walk; `pack` reverses this.
  at::Tensor walk(const at::Tensor& packed) const;
  at::Tensor pack(const at::Tensor& walked) const;
  /// Splits walked rows into the rows of each step; the results for an undefined tensor are
  /// undefined. The gradient of the split is a single concatenation, whereas the gradient of a
  /// slice would have the size of all steps.
  std::vector<at::Tensor> steps(const at::Tensor& walked) const;

  std::vector<int64_t> counts;  ///< rows of each step, never increasing
  at::Tensor sentences;         ///< [sentences] int64: the sentence of each row of the first step
  at::Tensor order;             ///< [rows] int64: the packed row of each walked row
  at::Tensor place;             ///< [rows] int64: the walked row of each packed row
};

}  // namespace phraseq::nn

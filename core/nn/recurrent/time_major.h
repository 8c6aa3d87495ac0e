#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq::nn {

/// Packed sentences as a recurrent network walks through them: step by step, with one row for every
/// sentence that is long enough, the longest sentences first. The sentences that continue are
/// therefore always the first rows, and no row is padding.
struct PHRASEQ_API TimeMajor {
  /// Sentence i is rows offsets[i] to offsets[i+1]; `backwards` walks from its last row to its
  /// first.
  TimeMajor(const std::vector<int64_t>& offsets, at::Device device, bool backwards = false);

  /// Packed rows [rows, …] in the order of the walk, and back.
  at::Tensor walk(const at::Tensor& packed) const;
  at::Tensor pack(const at::Tensor& walked) const;
  /// The rows of each step of walked rows; undefined ones of an undefined tensor. The gradient of
  /// all is one concatenation; that of a slice would have the size of all steps.
  std::vector<at::Tensor> steps(const at::Tensor& walked) const;

  std::vector<int64_t> counts;  ///< rows of each step, never increasing
  at::Tensor sentences;         ///< [sentences] int64: the sentence of each row of the first step
  at::Tensor order;             ///< [rows] int64: the packed row of each walked row
  at::Tensor place;             ///< [rows] int64: the walked row of each packed row
};

}  // namespace phraseq::nn

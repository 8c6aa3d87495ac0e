#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace phraseq {

/// Copies [elements] between devices or types. On a CPU, ATen starts no threads for it: the cores
/// belong to the backward pass that runs meanwhile.
void copy_in_slices(const at::Tensor& to, const at::Tensor& from);

/// Writes the sum of the rows [size, elements] that contribute into `sum` [elements]: computed in
/// the order of ranks and in the type `type`, so that every rank gets the same bits. Starts no
/// threads either.
void sum_rows(const at::Tensor& rows,
              const std::vector<bool>& contributes,
              at::ScalarType type,
              const at::Tensor& sum);

}  // namespace phraseq

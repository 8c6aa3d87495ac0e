#pragma once

#include <functional>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/packed/packed_matrix.h"
#include "core/nn/packed/packed_memory.h"

namespace phraseq::nn {

/// The packed matrices of a model that is no longer trained: each weight (or group of adjacent
/// weights) that a linear map multiplies by is packed at its first product. Several threads may use
/// it.
class PHRASEQ_API PackedWeights {
 public:
  explicit PackedWeights(Quantization kind) : kind_(kind) {}
  Quantization kind() const { return kind_; }

  /// The matrix of `weights` [out, in] stacked along `out`; `stack` concatenates them if they are
  /// not packed yet. The weights' memory must be neither reused nor changed.
  const PackedMatrix& matrix(at::TensorList weights, const std::function<at::Tensor()>& stack);

 private:
  /// The memory of a weight, and how it is read.
  struct Part {
    const void* data;
    int64_t rows, row_step, column_step;
    bool operator==(const Part&) const = default;
  };
  struct Entry {
    std::vector<Part> parts;
    PackedMatrix matrix;
  };

  static Part part_of(const at::Tensor& weight);
  const PackedMatrix* find(at::TensorList weights) const;

  Quantization kind_;
  std::shared_mutex mutex_;
  PackedMemory memory_;
  std::unordered_multimap<const void*, Entry> entries_;  // by the data of the first part
};

/// From now on, linear maps pack the weights that they multiply by, once, if these are in the
/// memory of `parameters` (FlatParameters::values) and no gradient is recorded. The values must not
/// change after that. A second call starts over.
PHRASEQ_API void pack_weights(const at::Tensor& parameters, Quantization kind);

/// Frees weights that were packed from memory that no longer exists; call it after the last model
/// that used it is destroyed. Returns how many memories with packed weights remain.
PHRASEQ_API int64_t release_packed_weights();

/// The packed weights of the memory that contains a weight; null if it is not packed. They live as
/// long as that memory, and until the next release_packed_weights or pack_weights.
PHRASEQ_API PackedWeights* packed_weights_of(const at::Tensor& weight);

}  // namespace phraseq::nn

#pragma once

#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"

namespace phraseq {

/// Collects tensors in the form that a checkpoint's writer needs: their bytes on the host. A CPU
/// tensor is not copied. `add` throws FormatError for an element type that the format does not
/// support.
class PHRASEQ_API HostTensors {
 public:
  void add(const std::string& name, const at::Tensor& tensor);
  void add(TensorView view) { views_.push_back(std::move(view)); }
  const std::vector<TensorView>& views() const { return views_; }

 private:
  std::vector<at::Tensor> kept_;  // the memory that the views point to
  std::vector<TensorView> views_;
};

/// Copies the bytes into `tensor` (any device and floating type of the same shape).
PHRASEQ_API void copy_into(at::Tensor tensor, const TensorView& view);

/// Adds a sentence to `problems` if the file has no entry `name` or if its shape or kind of number
/// (floating-point or not) differs from `tensor`.
PHRASEQ_API void check_fits(const CheckpointFile& file,
                            const std::string& name,
                            const at::Tensor& tensor,
                            std::vector<std::string>& problems);

}  // namespace phraseq

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"

namespace torch::nn {
class Module;
}

namespace phraseq::nn {

/// All parameters of a model as one buffer, all gradients as another.
///
/// The module's named parameters become views of `values()`, their gradients views of
/// `gradients()`: clipping, the optimizer and an all-reduce are single passes. Under bf16 and fp16
/// a third buffer holds the copy that matrix products read. Tied parameters (one tensor under
/// several names) are stored once.
class PHRASEQ_API FlatParameters {
 public:
  struct Entry {
    std::string name;
    at::Tensor parameter;  ///< the view
    int64_t offset = 0;    ///< elements from the buffer's start
  };

  /// Moves the module's parameters into the buffer. `with_gradients` = for training.
  FlatParameters(torch::nn::Module& module, bool with_gradients);
  /// The same without gradients; the values must still be set.
  static FlatParameters unset(torch::nn::Module& module);
  /// The module's parameters become views of `values` [elements], which already holds their values,
  /// each from `offset_of(entry)` on. They may be in any order, with other data between them.
  FlatParameters(torch::nn::Module& module,
                 at::Tensor values,
                 const std::function<int64_t(const Entry&)>& offset_of);
  /// For a second module of the same kind: its parameters become views of `original`'s values, and
  /// it gets its own gradients. Several threads can then compute gradients of one model at the same
  /// time. A bf16 or fp16 copy of `original` is shared if it exists.
  FlatParameters(torch::nn::Module& replica, const FlatParameters& original);

  const std::vector<Entry>& entries() const { return entries_; }
  at::Tensor& values() { return values_; }
  const at::Tensor& values() const { return values_; }
  at::Tensor& gradients() { return gradients_; }

  /// Makes (on the first call) or updates the bf16 copy from the values.
  void refresh_bf16();
  at::Tensor& bf16() { return bf16_; }
  /// The bf16 copy of one parameter; the parameter itself if there is no copy. The copy is not
  /// differentiable: layers pass the gradient to the parameter.
  at::Tensor bf16_view(const at::Tensor& parameter) const;

  /// The same for fp16. No optimizer writes this copy: the trainer updates it after each step.
  void refresh_fp16();
  at::Tensor& fp16() { return fp16_; }
  at::Tensor fp16_view(const at::Tensor& parameter) const;

  /// Makes or updates the copy that `precision` uses, if it uses one.
  void refresh_copy(Precision precision);

  /// The parameter's part of the gradients; undefined for a tensor that is not in the buffer.
  at::Tensor gradient_view(const at::Tensor& parameter) const;

  void zero_gradients();

  /// The elements from `begin` on as parameters without names: views of the same buffers. The bf16
  /// and fp16 copies are included if they exist already.
  FlatParameters slice(int64_t begin, int64_t elements) const;

 private:
  FlatParameters() = default;

  /// The offset of the parameter in the buffer, in elements; -1 for a tensor that is not in the
  /// buffer.
  int64_t offset_of(const at::Tensor& parameter) const;
  at::Tensor view_of_copy(const at::Tensor& copy, const at::Tensor& parameter) const;

  std::vector<Entry> entries_;
  at::Tensor values_;
  at::Tensor gradients_;
  at::Tensor bf16_;
  at::Tensor fp16_;
};

}  // namespace phraseq::nn

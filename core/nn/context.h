#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include "core/base/api.h"

namespace phraseq::nn {

/// Arithmetic of matrix products and activations. Parameters stay fp32 masters under bf16 and fp16
/// (a copy in 16 bits is written after each step); sums, norms, softmax and the loss are always
/// fp32. Training in fp16 needs a loss scale (Context::scale_loss). fp64 is for checks.
enum class Precision { kFp32, kBf16, kFp16, kFp64 };

class FlatParameters;
class Recording;

/// Everything that a forward pass needs besides its input. Created for each batch; a layer receives
/// it by reference and draws its dropout keys from it.
///
/// Dropout masks are functions of (seed, number of the draw, element), recomputed in the backward
/// pass: there is no generator state, so a resumed run cannot differ because of a draw that was not
/// repeated.
class PHRASEQ_API Context {
 public:
  Context(bool training,
          Precision precision,
          uint64_t seed = 0,
          const FlatParameters* flat = nullptr)
      : training_(training), precision_(precision), seed_(seed), flat_(flat) {}

  bool training() const { return training_; }
  Precision precision() const { return precision_; }
  /// The type of activations: bf16, fp16 or the parameters' own.
  at::ScalarType activation_type() const;

  /// The matrix that products read: the parameter itself, or its copy in 16 bits.
  at::Tensor compute(const at::Tensor& parameter) const;

  /// The tensor to which the gradient of a parameter is added: its view of the flat gradients, for
  /// functions that add to it themselves and return nothing to autograd, which saves a pass over
  /// the parameter. Undefined without flat gradients, or if the parameter needs no gradient; the
  /// gradient then goes through autograd as usual.
  at::Tensor gradient(const at::Tensor& parameter) const;

  /// The key of the next dropout mask; 0, without a draw, outside of training.
  uint64_t next_dropout_key();

  /// The number of updates before this one in training, for annealed losses or scheduled noise
  /// (fairseq's set_num_updates). A resumed run continues to count. 0 in evaluation.
  int64_t finished_updates() const { return finished_updates_; }
  void begin_update(int64_t finished_updates) { finished_updates_ = finished_updates; }

  /// The factor of the loss whose gradient is computed, 1 unless set. Functions that compute a
  /// gradient before the backward pass multiply by it before they round to fp16 and divide again by
  /// it in the backward pass, which begins with this factor.
  double loss_scale() const { return loss_scale_; }
  void scale_loss(double scale) { loss_scale_ = scale; }

  /// Whether the layers of a stack are recomputed in the backward pass instead of keeping their
  /// activations (nn::recomputed).
  bool recomputes() const { return recomputes_; }
  void recompute_layers(bool recompute) { recomputes_ = recompute; }

  /// The recording to which modules add tensors for an analysis; null in ordinary passes.
  Recording* recording() const { return recording_; }
  void record_into(Recording* recording) { recording_ = recording; }

 private:
  bool training_;
  Precision precision_;
  uint64_t seed_;
  uint64_t draws_ = 0;
  int64_t finished_updates_ = 0;
  double loss_scale_ = 1.0;
  bool recomputes_ = false;
  const FlatParameters* flat_;
  Recording* recording_ = nullptr;
};

}  // namespace phraseq::nn

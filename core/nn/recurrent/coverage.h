#pragma once

#include <memory>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/linear_map.h"
#include "core/nn/recurrent/recurrent_initializer.h"
#include "core/nn/recurrent/recurrent_options.h"

namespace phraseq::nn {

/// How far each source word has been translated, C_j (Tu et al. 2016), in every form:
///
///   neural       i_x = a_x α_j + H_x h'_j + S_x s,  x = z, r, c (h' = state and tag)
///                z = σ(C_z C + i_z), r = σ(C_r C + i_r), c = tanh(C_c (r * C) + i_c)
///                C' = z * c + (1 - z) * C
///   not gated    C' = tanh(C_c C + i)
///   linguistic   C' = C + α_j, with fertility α_j / Φ_j, Φ_j = N σ(u · h_j)
///
/// Parameters, rows z, r, c (or c alone): `attention` [3 · coverage, 1], `source`
/// [3 · coverage, 2 · hidden], `source_tags` [3 · coverage, slots], `state` [3 · coverage, hidden],
/// `hidden` [3 · coverage, coverage]; `fertility` [1, 2 · hidden].
class PHRASEQ_API Coverage : public torch::nn::Module {
 public:
  Coverage(const RecurrentOptions& options, int64_t slots);

  /// Computes the values that are needed once per sentence from the states [batch, src_time, 2 ·
  /// hidden]: H h [batch, src_time, 3 · coverage] ([batch, src_time, coverage] without a gate), or
  /// 1/Φ [batch, src_time]; undefined for plain linguistic coverage.
  at::Tensor read(const at::Tensor& states, Context& context) const;
  /// The initial coverage: zeros [batch, src_time, coverage].
  at::Tensor start(const at::Tensor& states) const;
  /// Computes C' from C [rows, src_time, coverage] and the attention `weights` [rows, src_time] of
  /// a step that started from `state` [rows, hidden]. `tags` [rows, src_time, slots] or undefined.
  at::Tensor update(const at::Tensor& coverage,
                    const at::Tensor& weights,
                    const at::Tensor& state,
                    const at::Tensor& from_source,
                    const at::Tensor& tags,
                    Context& context) const;

  void initialize(RecurrentInitializer& initializer);
  /// The multiply-adds of reading the source and the states, and of updating each source token in
  /// each step.
  double multiply_adds(double source_tokens, double steps) const;

 private:
  /// `coverage` [rows, src_time, coverage], `input` [rows, src_time, 3 · coverage] →
  /// [rows, src_time, coverage].
  at::Tensor gated(const at::Tensor& coverage, const at::Tensor& input) const;

  int64_t width_;
  double most_words_;
  bool linguistic_, gated_;
  std::shared_ptr<LinearMap> attention_, source_, source_tags_, state_, hidden_, fertility_;
};

}  // namespace phraseq::nn

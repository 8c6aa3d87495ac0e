#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "core/base/api.h"
#include "core/nn/context.h"
#include "core/nn/recurrent/recurrent_initializer.h"
#include "core/nn/recurrent/time_major.h"

namespace phraseq::nn {

/// Computes the new state of a gated recurrent unit from its products (Cho et al. 2014, as in
/// dl4mt):
///
///     r, u = σ(input + hidden),  c = tanh(input_c + r * hidden_c),  h' = u * h + (1 - u) * c
///
/// `input`, `hidden` [rows, 3 · hidden]: columns r, u, c; `state` [rows, hidden]; returns
/// [rows, hidden]. All fp32 (fp64).
PHRASEQ_API at::Tensor gru_update(const at::Tensor& input,
                                  const at::Tensor& hidden,
                                  const at::Tensor& state);

/// A gated recurrent unit: torch's without `bias_hh`. Parameters `weight_ih` [3 · hidden, in],
/// `bias_ih` [3 · hidden], `weight_hh` [3 · hidden, hidden], rows r, u, c. States are fp32 (fp64)
/// even under bf16.
class PHRASEQ_API GruCell : public torch::nn::Module {
 public:
  GruCell(int64_t input, int64_t hidden);

  /// x W_ihᵀ + b, [rows, in] → [rows, 3 · hidden], for all steps at once.
  at::Tensor input_products(const at::Tensor& x, Context& context) const;
  /// h W_hhᵀ, [rows, hidden] → [rows, 3 · hidden].
  at::Tensor hidden_products(const at::Tensor& state, Context& context) const;
  /// The states at every row x [rows, in] of packed sentences, [rows, hidden], starting from a zero
  /// state.
  at::Tensor over(const at::Tensor& x, const TimeMajor& walk, Context& context) const;

  void initialize(RecurrentInitializer& initializer);
  double multiply_adds(double rows) const;

  at::Tensor weight_ih, bias_ih, weight_hh;
};

}  // namespace phraseq::nn

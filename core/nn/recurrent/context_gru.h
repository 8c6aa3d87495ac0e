#pragma once

#include <memory>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/linear_map.h"
#include "core/nn/recurrent/gru_cell.h"
#include "core/nn/recurrent/readout.h"
#include "core/nn/recurrent/recurrent_initializer.h"
#include "core/nn/recurrent/recurrent_options.h"

namespace phraseq::nn {

/// The result of attention as an additional input of the three parts of a gated unit: C c + C_tag
/// a. Parameters, registered with the owner: `context` [3 · hidden, 2 · hidden], `context_tags` [3
/// · hidden, slots].
class PHRASEQ_API ContextInput {
 public:
  ContextInput(torch::nn::Module& owner, const RecurrentOptions& options, int64_t slots);
  /// [rows, 3 · hidden]
  at::Tensor products(const DecisionState& seen, Context& context) const;
  void initialize(RecurrentInitializer& initializer);
  double multiply_adds(double rows) const;

 private:
  std::shared_ptr<LinearMap> context_, context_tags_;
};

/// The decoder's only cell: a gated unit over the last word and the result of attention.
class PHRASEQ_API ContextGru : public GruCell {
 public:
  ContextGru(const RecurrentOptions& options, int64_t slots);
  /// The new state [rows, hidden], from `input` [rows, 3 · hidden], computed by
  /// GruCell::input_products, and `state` [rows, hidden].
  at::Tensor step(const at::Tensor& input,
                  const at::Tensor& state,
                  const DecisionState& seen,
                  Context& context) const;
  void initialize(RecurrentInitializer& initializer);
  double multiply_adds(double rows) const;

 private:
  ContextInput seen_;
};

/// The second cell of dl4mt's conditional GRU, after the attention; its bias is inside the reset:
///
///     r, u = σ(U s' + b + C c),  c = tanh(r * (U_c s' + b_c) + C_c c),  s = u * s' + (1 - u) * c
///
/// Parameters `weight_hh` [3 · hidden, hidden], `bias_hh` [3 · hidden] and those of ContextInput.
class PHRASEQ_API SecondGru : public torch::nn::Module {
 public:
  SecondGru(const RecurrentOptions& options, int64_t slots);
  /// The new state [rows, hidden], from the first cell's, `between` [rows, hidden].
  at::Tensor step(const at::Tensor& between, const DecisionState& seen, Context& context) const;
  void initialize(RecurrentInitializer& initializer);
  double multiply_adds(double rows) const;

 private:
  at::Tensor weight_hh_, bias_hh_;
  ContextInput seen_;
};

}  // namespace phraseq::nn

#pragma once

#include <memory>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/linear_map.h"
#include "core/nn/recurrent/recurrent_initializer.h"
#include "core/nn/recurrent/recurrent_options.h"

namespace phraseq::nn {

/// The inputs of a recurrent decoder's decisions, one row per decision: S_t = [s_t; c_t; e_{t-1}].
struct DecisionState {
  at::Tensor state;         ///< [rows, hidden]
  at::Tensor context;       ///< [rows, 2 · hidden]
  at::Tensor context_tags;  ///< [rows, slots], undefined without tags
  at::Tensor embedding;     ///< [rows, embed], zeros if nothing has been generated yet
};

/// U s + C c + C_tag a + V e [+ b]: a layer over the state of a decision. Parameters `state`,
/// `context`, `context_tags`, `embedding`, each a map without bias, and `bias` [out].
class PHRASEQ_API Readout : public torch::nn::Module {
 public:
  Readout(const RecurrentOptions& options, int64_t out, int64_t slots, bool with_bias);

  /// [rows, out], before any activation.
  at::Tensor forward(const DecisionState& decision, Context& context) const;
  void initialize(RecurrentInitializer& initializer);
  double multiply_adds(double rows) const;

 private:
  std::shared_ptr<LinearMap> state_, context_, context_tags_, embedding_;
  at::Tensor bias_;
};

}  // namespace phraseq::nn

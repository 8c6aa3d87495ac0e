#pragma once

#include <memory>

#include "core/nn/linear_map.h"
#include "core/nn/recurrent/readout.h"
#include "plugins/architectures/phrasenet/noisy_tanh.h"

namespace phraseq::phrasenet {

/// The gate between word and phrase:
///
///     a1 = f(W1 S + b1),  a2 = f(W2 a1 + b2) + a1,  logit of p(phrase) = w3 a2 + b3
///
/// Parameters: those of a Readout (W1, b1), `noise1`, `hidden` (W2, b2), `noise2`, `output`.
class Gate : public nn::Readout {
 public:
  Gate(const PhraseNetOptions& options, int64_t slots);
  /// [rows]
  at::Tensor logit(const nn::DecisionState& decision, nn::Context& context) const;
  void initialize(nn::RecurrentInitializer& initializer);
  double multiply_adds(double rows) const;

 private:
  bool residual_first_;
  GateActivation first_;
  std::shared_ptr<nn::LinearMap> hidden_;
  GateActivation second_;
  std::shared_ptr<nn::LinearMap> output_;
};

}  // namespace phraseq::phrasenet

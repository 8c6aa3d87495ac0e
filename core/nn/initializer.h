#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/base/random.h"
#include "core/options/option_table.h"

namespace phraseq::nn {

/// The role of a matrix, by which fairseq chooses the distribution of its initial values.
enum class MapRole { kAttentionInput, kAttentionOutput, kFeedForward };

/// The three published initializations of a Transformer.
///
///   kFairseq        attention inputs Glorot uniform, gain 1/√2, biases U(±1/√in);
///                   attention output Glorot uniform, bias 0;
///                   feed-forward weights and biases U(±1/√in); embeddings N(0, d^-½), pad row 0
///   kTensor2Tensor  Glorot uniform, biases 0; embeddings N(0, d^-½)
///   kNeutron        U(±1/√in), biases 0; embeddings U(±√(2/(V+d)))
enum class InitializationStyle { kFairseq, kTensor2Tensor, kNeutron };

inline constexpr EnumName<InitializationStyle> kInitializationStyleNames[] = {
    {"neutron", InitializationStyle::kNeutron},
    {"tensor2tensor", InitializationStyle::kTensor2Tensor},
    {"fairseq", InitializationStyle::kFairseq}};

/// The numbers of inputs and outputs of a map, if its matrix does not determine them: a
/// convolution's kernel [taps, in, out] has taps · in and taps · out.
struct Fan {
  double in = 1, out = 1;
};

/// Draws parameters with phraseq's own generator: the same seed produces the same model on any
/// machine.
class PHRASEQ_API Initializer {
 public:
  Initializer(InitializationStyle style, uint64_t seed) : style_(style), random_(seed) {}

  InitializationStyle style() const { return style_; }
  /// weight [out, in], bias [out] or undefined.
  void map(at::Tensor& weight, at::Tensor& bias, MapRole role);
  void map(at::Tensor& weight, at::Tensor& bias, MapRole role, const Fan& fan);
  /// `padding_row` is zeroed under kFairseq; -1 = none.
  void embedding(at::Tensor& table, int64_t padding_row);
  void norm(at::Tensor& gain, at::Tensor& bias);

  void uniform(at::Tensor& tensor, double limit);  ///< U(-limit, limit)
  void normal(at::Tensor& tensor, double stddev);  ///< N(0, stddev²), Box-Muller
  void constant(at::Tensor& tensor, double value);

 private:
  InitializationStyle style_;
  Random random_;
};

}  // namespace phraseq::nn

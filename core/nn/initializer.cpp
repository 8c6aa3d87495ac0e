#include "core/nn/initializer.h"

#include <cmath>
#include <functional>
#include <numbers>

#include <ATen/core/grad_mode.h>

namespace phraseq::nn {
namespace {

/// Fills a tensor of any device and type, element by element in order, by way of an fp32 tensor on
/// the CPU.
void fill(at::Tensor& tensor, const std::function<double()>& draw) {
  at::NoGradGuard no_grad;
  at::Tensor staging = at::empty(tensor.sizes(), at::kFloat);
  float* values = staging.data_ptr<float>();
  for (int64_t i = 0; i < staging.numel(); ++i) values[i] = static_cast<float>(draw());
  tensor.copy_(staging);
}

double glorot_limit(const Fan& fan, double gain) {
  return gain * std::sqrt(6.0 / (fan.in + fan.out));
}

double fan_in_limit(const Fan& fan) { return 1.0 / std::sqrt(fan.in); }

}  // namespace

void Initializer::uniform(at::Tensor& tensor, double limit) {
  fill(tensor, [&] { return (2.0 * random_.uniform() - 1.0) * limit; });
}

void Initializer::normal(at::Tensor& tensor, double stddev) {
  fill(tensor, [&] {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - random_.uniform()));
    return stddev * radius * std::cos(2.0 * std::numbers::pi * random_.uniform());
  });
}

void Initializer::constant(at::Tensor& tensor, double value) {
  at::NoGradGuard no_grad;
  tensor.fill_(value);
}

void Initializer::map(at::Tensor& weight, at::Tensor& bias, MapRole role) {
  map(weight,
      bias,
      role,
      {static_cast<double>(weight.size(1)), static_cast<double>(weight.size(0))});
}

void Initializer::map(at::Tensor& weight, at::Tensor& bias, MapRole role, const Fan& fan) {
  const bool fairseq = style_ == InitializationStyle::kFairseq;
  const bool glorot =
      style_ == InitializationStyle::kTensor2Tensor || (fairseq && role != MapRole::kFeedForward);
  const double gain = fairseq && role == MapRole::kAttentionInput ? std::numbers::sqrt2 / 2.0 : 1.0;
  uniform(weight, glorot ? glorot_limit(fan, gain) : fan_in_limit(fan));
  if (!bias.defined())
    return;
  if (fairseq && role != MapRole::kAttentionOutput) {
    uniform(bias, fan_in_limit(fan));
  } else {
    constant(bias, 0.0);
  }
}

void Initializer::embedding(at::Tensor& table, int64_t padding_row) {
  const auto rows = static_cast<double>(table.size(0));
  const auto width = static_cast<double>(table.size(1));
  if (style_ == InitializationStyle::kNeutron) {
    uniform(table, std::sqrt(2.0 / (rows + width)));
    return;
  }
  normal(table, 1.0 / std::sqrt(width));
  if (style_ == InitializationStyle::kFairseq && padding_row >= 0) {
    at::NoGradGuard no_grad;
    table.select(0, padding_row).zero_();  // [model]
  }
}

void Initializer::norm(at::Tensor& gain, at::Tensor& bias) {
  constant(gain, 1.0);
  constant(bias, 0.0);
}

}  // namespace phraseq::nn

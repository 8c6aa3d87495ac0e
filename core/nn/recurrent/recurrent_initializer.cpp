#include "core/nn/recurrent/recurrent_initializer.h"

#include <tuple>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_qr.h>

namespace phraseq::nn {
namespace {

constexpr double kCoverageDeviation = 1e-3;

}  // namespace

// The style only matters for maps of Transformers, which are not used here.
RecurrentInitializer::RecurrentInitializer(uint64_t seed, double deviation)
    : draws_(InitializationStyle::kFairseq, seed), deviation_(deviation) {}

void RecurrentInitializer::matrix(at::Tensor& weight) { draws_.normal(weight, deviation_); }

void RecurrentInitializer::coverage_matrix(at::Tensor& weight) {
  draws_.normal(weight, kCoverageDeviation);
}

void RecurrentInitializer::orthogonal(at::Tensor& weight) {
  at::Tensor drawn = at::empty(weight.sizes(), at::kFloat);
  draws_.normal(drawn, 1.0);
  at::NoGradGuard no_grad;
  for (const at::Tensor& block : drawn.split(weight.size(1)))  // [n, n]
    block.copy_(std::get<0>(at::linalg_qr(block.to(at::kDouble))));
  weight.copy_(drawn);
}

void RecurrentInitializer::constant(at::Tensor& tensor, double value) {
  draws_.constant(tensor, value);
}

}  // namespace phraseq::nn

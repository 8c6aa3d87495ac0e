// Compares each shared function with ATen's operators for the same thing, forward and backward, on
// the sizes of the tiny Transformer (model 128, 4 heads, ffn 256, vocabulary 10,000, 3,400 rows of
// about 13 tokens).
//
//   bench-kernels --benchmark_filter=attention      all options are Google Benchmark's
#include <ATen/ATen.h>
#include <benchmark/benchmark.h>

#include "core/nn/functional/attention.h"
#include "core/nn/functional/embedding.h"
#include "core/nn/functional/linear.h"
#include "core/nn/functional/normalization.h"
#include "core/nn/functional/reference/functional_reference.h"
#include "core/nn/kernels/activation.h"
#include "core/nn/loss/projected_loss.h"
#include "core/nn/memory/caching_allocator.h"
#include "tests/core/nn/functional/padded_attention.h"

namespace {

using namespace phraseq;
using namespace phraseq::nn;

constexpr int64_t kRows = 3406, kModel = 128, kHidden = 256, kVocabulary = 10000, kHeads = 4;
constexpr int64_t kLength = 13;
constexpr double kDropout = 0.3;

at::Tensor rows(int64_t columns, bool bf16) {
  return at::randn({kRows, columns}).to(bf16 ? at::kBFloat16 : at::kFloat).requires_grad_(true);
}

at::Tensor parameter(at::IntArrayRef sizes) {
  return at::randn(sizes).mul_(0.05).requires_grad_(true);
}

PackedTokens sentences() {
  PackedTokens tokens;
  for (int64_t offset = 0; offset <= kRows; offset += kLength) tokens.offsets.push_back(offset);
  return tokens;
}

/// Runs forward and backward; arguments: bf16, phraseq's function (1) or operators (0).
template <typename Forward>
void measure(benchmark::State& state, const Forward& forward) {
  const bool bf16 = state.range(0) != 0, own = state.range(1) != 0;
  const at::Tensor up;
  for (auto _ : state) {
    Context context(true, bf16 ? Precision::kBf16 : Precision::kFp32, 1);
    at::Tensor y = forward(context, bf16, own);
    y.backward(y.dim() == 0 ? at::Tensor() : at::ones_like(y));
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}

void feed_forward(benchmark::State& state) {
  const at::Tensor x = rows(kModel, state.range(0)), weight = parameter({kHidden, kModel}),
                   bias = parameter({kHidden});
  measure(state, [&](Context& context, bool, bool own) {
    if (own)
      return linear(x, weight, bias, context, Activation::kRelu, kDropout);
    const at::Tensor y = at::linear(x, weight.to(x.scalar_type()), bias.to(x.scalar_type()));
    return at::dropout(at::relu(y), kDropout, true);
  });
}

void attention(benchmark::State& state) {
  const at::Tensor kvq = rows(3 * kModel, state.range(0));
  const PackedTokens tokens = sentences();
  const AttentionOptions options{kHeads, 0.17, 0.1, true};
  measure(state, [&](Context& context, bool, bool own) {
    if (own)
      return self_attention(kvq, tokens, options, context);
    const auto parts = kvq.chunk(3, 1);
    return phraseq::testing::padded_attention(
        {parts[2], parts[0], parts[1], tokens.offsets, tokens.offsets}, options, 0);
  });
}

void residual_norm(benchmark::State& state) {
  const at::Tensor x = rows(kModel, state.range(0)), residual = rows(kModel, state.range(0));
  const at::Tensor gain = parameter({kModel}), bias = parameter({kModel});
  measure(state, [&](Context& context, bool, bool own) {
    if (own)
      return dropout_add_norm(x, residual, gain, bias, 1e-5, kDropout, context);
    const at::Tensor sum = residual + at::dropout(x, kDropout, true);
    return at::layer_norm(sum.to(at::kFloat), {kModel}, gain, bias, 1e-5).to(x.scalar_type());
  });
}

void output_loss(benchmark::State& state) {
  const at::Tensor hidden = rows(kModel, state.range(0)), weight = parameter({kVocabulary, kModel});
  const at::Tensor targets = at::randint(4, kVocabulary, {kRows}, at::kLong);
  measure(state, [&](Context& context, bool, bool own) {
    if (own) {
      return projected_cross_entropy(
                 hidden, weight, {}, targets, {0.1, Smoothing::kFairseq}, context)
          .loss;
    }
    const at::Tensor logits = at::linear(hidden, weight.to(hidden.scalar_type())).to(at::kFloat);
    return at::cross_entropy_loss(logits, targets, {}, at::Reduction::Sum, -100, 0.1);
  });
}

void embedding(benchmark::State& state) {
  const at::Tensor table = parameter({kVocabulary, kModel}), places = at::randn({100, kModel});
  const at::Tensor ids = at::randint(4, kVocabulary, {kRows}, at::kLong);
  const at::Tensor positions = at::arange(kRows, at::kLong).remainder(kLength);
  measure(state, [&](Context& context, bool, bool own) {
    if (own)
      return embed(ids, positions, table, places, {11.3, kDropout, 1}, context);
    return reference::embed(
        ids, positions, table, places, {11.3, 0.0, 1}, /*key=*/0, context.activation_type());
  });
}

void arguments(benchmark::internal::Benchmark* b) {
  b->ArgNames({"bf16", "own"})
      ->ArgsProduct({{0, 1}, {0, 1}})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}
BENCHMARK(feed_forward)->Apply(arguments);
BENCHMARK(attention)->Apply(arguments);
BENCHMARK(residual_norm)->Apply(arguments);
BENCHMARK(output_loss)->Apply(arguments);
BENCHMARK(embedding)->Apply(arguments);

}  // namespace

int main(int argc, char** argv) {
  phraseq::nn::install_caching_allocator();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  benchmark::RunSpecifiedBenchmarks();
}

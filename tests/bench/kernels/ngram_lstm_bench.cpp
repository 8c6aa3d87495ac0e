// Compares PhraseTransformer's n-gram LSTM, forward and backward with dropout 0.3, with a plain
// torch::nn::LSTM over windows that are written out, on the sizes of the published setting (4 heads
// of 128: width 256) and of the tiny one (4 heads of 32: width 64).
//
//   bench-ngram-lstm --benchmark_filter=width:256       all options are Google Benchmark's
#include <ATen/ATen.h>
#include <benchmark/benchmark.h>
#include <torch/nn/modules/rnn.h>

#include "core/nn/flat_parameters.h"
#include "core/nn/memory/caching_allocator.h"
#include "plugins/architectures/phrase_transformer/ngram_lstm.h"
#include "plugins/architectures/phrase_transformer/windowed_lstm_reference.h"

namespace {

using namespace phraseq;
using namespace phraseq::phrase_transformer;

constexpr int64_t kHeads = 4, kSentences = 40, kLength = 20;
constexpr double kDropout = 0.3;

enum Scope : int64_t { kPlain = 0, kWindow = 1, kPosition = 2 };

PackedTokens sentences() {
  return PackedTokens::pack({kSentences, std::vector<int64_t>(kLength, 5)});
}

/// Measures forward and backward; memory is allocated before the clock starts.
template <typename Forward>
void measure(benchmark::State& state, const Forward& forward) {
  const auto run = [&] {
    const at::Tensor y = forward();
    y.backward(at::ones_like(y));
  };
  run();
  for (auto _ : state) run();
  state.SetItemsProcessed(state.iterations() * kSentences * kLength);
}

void ngram_lstm(benchmark::State& state) {
  const int64_t width = state.range(0), gram = state.range(1);
  const bool bf16 = state.range(2) != 0, window = state.range(3) == kWindow;
  const PackedTokens tokens = sentences();
  NgramLstm lstm({gram, width, kDropout, window, true, true});
  nn::Initializer initializer(nn::InitializationStyle::kFairseq, 1);
  lstm.initialize(initializer);
  nn::FlatParameters flat(lstm, true);
  if (bf16)
    flat.refresh_bf16();
  const at::Tensor rows = at::randn({tokens.tokens() * kHeads, width})
                              .to(bf16 ? at::kBFloat16 : at::kFloat)
                              .requires_grad_(true);
  measure(state, [&] {
    nn::Context context(true, bf16 ? nn::Precision::kBf16 : nn::Precision::kFp32, 1, &flat);
    return lstm.forward(rows, tokens, context);
  });
}

void plain_lstm(benchmark::State& state) {
  const int64_t width = state.range(0), gram = state.range(1);
  const auto type = state.range(2) != 0 ? at::kBFloat16 : at::kFloat;
  const PackedTokens tokens = sentences();
  torch::nn::LSTM lstm(torch::nn::LSTMOptions(width, width).bidirectional(true));
  lstm->to(type);
  const at::Tensor rows =
      at::randn({tokens.tokens() * kHeads, width}).to(type).requires_grad_(true);
  const Windows windows{tokens.positions, gram, kHeads};
  measure(state, [&] {
    const at::Tensor places = reference::gather_windows(rows, windows, 0.0, 0);
    const at::Tensor dropped =
        at::dropout(places, kDropout, true).view({gram, windows.rows(), width});
    const auto [h, c] = std::get<1>(lstm->forward(dropped));
    return h.sum(0) + c.sum(0);
  });
}

void sizes(benchmark::internal::Benchmark* b, std::vector<int64_t> scopes) {
  b->ArgNames({"width", "gram", "bf16", "scope"})
      ->ArgsProduct({{64, 256}, {3}, {0, 1}, std::move(scopes)})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}
BENCHMARK(ngram_lstm)->Apply([](auto* b) { sizes(b, {kWindow, kPosition}); });
BENCHMARK(plain_lstm)->Apply([](auto* b) { sizes(b, {kPlain}); });

}  // namespace

int main(int argc, char** argv) {
  phraseq::nn::install_caching_allocator();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  benchmark::RunSpecifiedBenchmarks();
}

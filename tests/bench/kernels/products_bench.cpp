// Products of few rows with a weight: the own kernels on packed weights in fp32, 8 and 16 bits, and
// ATen's linear layer. Items are multiply-adds of one thread. core/nn/packed/product_choice.cpp
// keeps what follows from it.
//
//   bench-products --benchmark_filter=int8      all options are Google Benchmark's
#include <ATen/Parallel.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <benchmark/benchmark.h>

#include "core/nn/packed/packed_matrix.h"

namespace {

using namespace phraseq::nn;

struct Shape {
  int64_t rows, columns, depth;
};

/// The linear layers of the tiny and the base Transformer, and their vocabularies.
Shape shape_of(const benchmark::State& state) {
  return {state.range(0), state.range(1), state.range(2)};
}

template <typename Product>
void measure(benchmark::State& state, const Product& product) {
  at::set_num_threads(1);
  const Shape shape = shape_of(state);
  const at::Tensor x = at::randn({shape.rows, shape.depth});
  for (auto _ : state) benchmark::DoNotOptimize(product(x));
  state.SetItemsProcessed(state.iterations() * shape.rows * shape.columns * shape.depth);
}

void packed(benchmark::State& state, Quantization kind) {
  const Shape shape = shape_of(state);
  const PackedMatrix matrix(at::randn({shape.columns, shape.depth}), kind);
  measure(state, [&](const at::Tensor& x) { return matrix.multiply(x, nullptr, false); });
}

void fp32(benchmark::State& state) { packed(state, Quantization::kNone); }
void int8(benchmark::State& state) { packed(state, Quantization::kInt8); }
void bf16(benchmark::State& state) { packed(state, Quantization::kBf16); }

void aten(benchmark::State& state) {
  const Shape shape = shape_of(state);
  const at::Tensor weight = at::randn({shape.columns, shape.depth});
  measure(state, [&](const at::Tensor& x) { return at::linear(x, weight); });
}

void aten_bf16(benchmark::State& state) {
  const Shape shape = shape_of(state);
  const at::Tensor weight = at::randn({shape.columns, shape.depth}).to(at::kBFloat16);
  measure(state, [&](const at::Tensor& x) { return at::linear(x.to(at::kBFloat16), weight); });
}

void shapes(benchmark::internal::Benchmark* bench) {
  for (const int64_t rows : {1, 5, 20, 60, 128, 512, 1024}) {
    for (const auto& [columns, depth] : {std::pair<int64_t, int64_t>{128, 128},
                                         {256, 128},
                                         {128, 256},
                                         {10000, 128},
                                         {512, 512},
                                         {2048, 512},
                                         {512, 2048},
                                         {32000, 512}})
      bench->Args({rows, columns, depth});
  }
  bench->ArgNames({"rows", "columns", "depth"})->MinTime(0.05);
}

BENCHMARK(fp32)->Apply(shapes);
BENCHMARK(int8)->Apply(shapes);
BENCHMARK(bf16)->Apply(shapes);
BENCHMARK(aten)->Apply(shapes);
BENCHMARK(aten_bf16)->Apply(shapes);

}  // namespace

BENCHMARK_MAIN();

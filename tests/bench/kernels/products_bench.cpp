// Measures products of few rows with a weight: phraseq's kernels on packed weights in fp32, 8 and
// 16 bits, and ATen's linear layer. Items are multiply-adds of one thread. The choices in
// core/nn/packed/product_choice.cpp follow from the results. Also measures the products of training
// in bf16: phraseq's choice (core/nn/functional/matrix_product.h) and ATen's operators.
//
//   bench-products --benchmark_filter=int8      all options are Google Benchmark's
#include <ATen/Parallel.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <benchmark/benchmark.h>

#include "core/nn/functional/matrix_product.h"
#include "core/nn/packed/packed_matrix.h"

namespace {

using namespace phraseq::nn;

struct Shape {
  int64_t rows, columns, depth;
};

/// The sizes of the linear layers and the vocabularies of the tiny and the base Transformer.
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

template <typename Work>
void measure_training(benchmark::State& state, const Work& work) {
  at::set_num_threads(1);
  const Shape shape = shape_of(state);
  const at::Tensor x = at::randn({shape.rows, shape.depth}).to(at::kBFloat16);
  const at::Tensor weight = at::randn({shape.columns, shape.depth}).to(at::kBFloat16);
  const at::Tensor dy = at::randn({shape.rows, shape.columns}).to(at::kBFloat16);
  at::Tensor gradient = at::zeros({shape.columns, shape.depth});
  for (auto _ : state) work(x, weight, dy, gradient);
  state.SetItemsProcessed(state.iterations() * shape.rows * shape.columns * shape.depth);
}

void forward(benchmark::State& state) {
  measure_training(state, [](auto& x, auto& weight, auto& /*dy*/, auto& /*gradient*/) {
    benchmark::DoNotOptimize(matrix_product(x, weight.t()));
  });
}

void aten_forward(benchmark::State& state) {
  measure_training(state, [](auto& x, auto& weight, auto& /*dy*/, auto& /*gradient*/) {
    benchmark::DoNotOptimize(at::mm(x, weight.t()));
  });
}

void weight_gradient(benchmark::State& state) {
  measure_training(state, [](auto& x, auto& /*weight*/, auto& dy, auto& gradient) {
    add_matrix_product(gradient, dy.t(), x);
  });
}

void aten_weight_gradient(benchmark::State& state) {
  measure_training(state, [](auto& x, auto& /*weight*/, auto& dy, auto& gradient) {
    gradient.add_(at::mm(dy.t(), x));
  });
}

/// The sizes of the linear layers and the vocabularies of the tiny and the base Transformer.
void training_shapes(benchmark::internal::Benchmark* bench) {
  bench->Args({2000, 384, 128})->Args({2000, 128, 256})->Args({1024, 10000, 128});
  bench->Args({1700, 512, 512})->Args({1700, 2048, 512})->Args({1024, 32000, 512});
  bench->ArgNames({"rows", "columns", "depth"})->MinTime(0.2);
}

BENCHMARK(forward)->Apply(training_shapes);
BENCHMARK(aten_forward)->Apply(training_shapes);
BENCHMARK(weight_gradient)->Apply(training_shapes);
BENCHMARK(aten_weight_gradient)->Apply(training_shapes);

BENCHMARK(fp32)->Apply(shapes);
BENCHMARK(int8)->Apply(shapes);
BENCHMARK(bf16)->Apply(shapes);
BENCHMARK(aten)->Apply(shapes);
BENCHMARK(aten_bf16)->Apply(shapes);

}  // namespace

BENCHMARK_MAIN();

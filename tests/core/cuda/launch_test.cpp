// The kernels on a GPU, against the same sources compiled as C++. Skipped where there is no GPU or
// no NVRTC.

#include <algorithm>
#include <cmath>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/cuda/driver.h"
#include "core/nn/kernels/random_bits.h"
#include "tests/core/cuda/kernels_on_host.h"

namespace phraseq::cuda {
namespace {

using on_host::narrowed;

template <class Function>
Function driver(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<Function>(dlsym(library, name));
}

void require(int result, const char* what) {
  if (result != 0)
    throw std::runtime_error(std::string(what) + ": error " + std::to_string(result));
}

/// A vector's copy in the GPU's memory.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : size_(values.size()) {
    require(driver<int (*)(uint64_t*, size_t)>("cuMemAlloc_v2")(&address_, size_ * sizeof(T) + 16),
            "cuMemAlloc");
    require(driver<int (*)(uint64_t, const void*, size_t)>("cuMemcpyHtoD_v2")(
                address_, values.data(), size_ * sizeof(T)),
            "cuMemcpyHtoD");
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { driver<int (*)(uint64_t)>("cuMemFree_v2")(address_); }

  void* argument() { return &address_; }
  /// Waits for the kernels.
  std::vector<T> values() const {
    std::vector<T> result(size_);
    require(driver<int (*)()>("cuCtxSynchronize")(), "cuCtxSynchronize");
    require(driver<int (*)(void*, uint64_t, size_t)>("cuMemcpyDtoH_v2")(
                result.data(), address_, size_ * sizeof(T)),
            "cuMemcpyDtoH");
    return result;
  }

 private:
  size_t size_;
  uint64_t address_ = 0;
};

class CudaKernelsOnTheGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!KernelLauncher::available())
      GTEST_SKIP() << "there is no GPU, or no NVRTC";
    void* context = nullptr;
    require(driver<int (*)(void**, int)>("cuDevicePrimaryCtxRetain")(&context, 0), "context");
    require(driver<int (*)(void*)>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
  }

  static void launch(const KernelSource& kernel,
                     const std::string& function,
                     const LaunchShape& shape,
                     const std::vector<void*>& arguments) {
    KernelLauncher::instance().launch(kernel, function, shape, nullptr, arguments);
  }
};

std::vector<float> waves(size_t count, double phase) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(std::sin(0.7 * static_cast<double>(i * i % 1009) + phase));
  return values;
}

/// Equal except for the order of sums, which may change the last place in 16 bits.
template <class Device>
void expect_near(const std::vector<typename Device::Element>& found,
                 const std::vector<typename Device::Element>& expected,
                 double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    const double value = Device::wide(expected[i]);
    ASSERT_NEAR(Device::wide(found[i]), value, tolerance * (1 + std::abs(value))) << i;
  }
}

/// Dropout, sum and normalization of rows of `columns` numbers. Two blocks of four warps take the
/// rows in turn.
template <class Device>
class NormOnBoth {
 public:
  NormOnBoth(int element, int columns)
      : kernel_(dropout_add_norm_kernel(element, row_variant(columns, sizeof(Element), true))),
        width_(static_cast<size_t>(columns)),
        shape_{kNormRows,
               columns,
               1e-6F,
               0x123456789abcdef1ULL,
               nn::kernels::dropout_threshold(0.3),
               1 / 0.7F} {}

  void expect_same_results(double tolerance) {
    SCOPED_TRACE(width_);
    normalize_on_device();
    normalize_on_host();
    expect_near<Device>(device_y_.values(), y_, tolerance);
    expect_near<Device>(device_dx_.values(), dx_, tolerance);
    expect_near<Device>(device_sum_.values(), d_residual_, tolerance);
    expect_near<on_host::Fp32>(device_partial_.values(), partial_, 1e-4);
  }

 private:
  using Element = typename Device::Element;
  static constexpr int64_t kNormRows = 19, kWarps = 8;

  void start(const char* function, std::vector<void*> arguments) {
    arguments.push_back(&shape_);
    KernelLauncher::instance().launch(
        kernel_, function, {.blocks = 2, .threads = 128}, nullptr, arguments);
  }
  void normalize_on_device() {
    start("dropout_add_norm",
          {device_x_.argument(),
           device_rest_.argument(),
           device_gain_.argument(),
           device_bias_.argument(),
           device_y_.argument(),
           device_mean_.argument(),
           device_rstd_.argument()});
    start("dropout_add_norm_backward",
          {device_dy_.argument(),
           device_x_.argument(),
           device_rest_.argument(),
           device_gain_.argument(),
           device_mean_.argument(),
           device_rstd_.argument(),
           device_dx_.argument(),
           device_sum_.argument(),
           device_partial_.argument()});
  }
  void normalize_on_host() {
    on_host::run(kWarps, 1, [&] {
      Device::dropout_add_norm(x_.data(),
                               residual_.data(),
                               gain_.data(),
                               bias_.data(),
                               y_.data(),
                               mean_.data(),
                               rstd_.data(),
                               shape_);
    });
    on_host::run(kWarps, 1, [&] {
      Device::dropout_add_norm_backward(dy_.data(),
                                        x_.data(),
                                        residual_.data(),
                                        gain_.data(),
                                        mean_.data(),
                                        rstd_.data(),
                                        dx_.data(),
                                        d_residual_.data(),
                                        partial_.data(),
                                        shape_);
    });
  }

  std::vector<Element> matrix(double phase) const {
    return narrowed<Device>(waves(kNormRows * width_, phase));
  }
  std::vector<Element> result() const { return std::vector<Element>(kNormRows * width_); }

  const KernelSource& kernel_;
  size_t width_;
  typename Device::NormShape shape_;
  std::vector<Element> x_ = matrix(0.1), residual_ = matrix(0.5), dy_ = matrix(0.9);
  std::vector<float> gain_ = waves(width_, 1.3), bias_ = waves(width_, 2.1);
  std::vector<Element> y_ = result(), dx_ = result(), d_residual_ = result();
  std::vector<float> mean_ = std::vector<float>(kNormRows), rstd_ = mean_;
  std::vector<float> partial_ = std::vector<float>(2 * kWarps * width_);
  OnDevice<Element> device_x_{x_}, device_rest_{residual_}, device_dy_{dy_}, device_y_{y_},
      device_dx_{dx_}, device_sum_{d_residual_};
  OnDevice<float> device_gain_{gain_}, device_bias_{bias_}, device_mean_{mean_},
      device_rstd_{rstd_}, device_partial_{partial_};
};

TEST_F(CudaKernelsOnTheGpu, NormalizeAsOnTheHost) {
  for (const int columns : {77, 80, 299, 512}) {
    NormOnBoth<on_host::Fp32>(0, columns).expect_same_results(1e-5);
    NormOnBoth<on_host::Bf16>(1, columns).expect_same_results(0x1.0p-7);
    NormOnBoth<on_host::Fp16>(2, columns).expect_same_results(0x1.0p-10);
  }
}

on_host::Bf16::DropoutShape dropout_of(size_t elements) {
  return {static_cast<long long>(elements),
          0x123456789abcdef1ULL,
          nn::kernels::dropout_threshold(0.3),
          1 / 0.7F};
}

TEST_F(CudaKernelsOnTheGpu, DropAndAddAsOnTheHost) {
  using Device = on_host::Bf16;
  const auto x = narrowed<Device>(waves(1003, 0.2)), residual = narrowed<Device>(waves(1003, 0.7));
  std::vector<Device::Element> y(x.size());
  Device::DropoutShape shape = dropout_of(x.size());
  OnDevice<Device::Element> device_x(x), device_rest(residual), device_y(y);
  launch(dropout_kernel(1),
         "dropout_add",
         {.blocks = 1},
         {device_x.argument(), device_rest.argument(), device_y.argument(), &shape});
  on_host::run(126, 1, [&] { Device::dropout_add(x.data(), residual.data(), y.data(), shape); });
  expect_near<Device>(device_y.values(), y, 0x1.0p-7);
}

TEST_F(CudaKernelsOnTheGpu, RectifyAndDropAsOnTheHost) {
  using Device = on_host::Bf16;
  const auto x = narrowed<Device>(waves(1003, 0.2)), dy = narrowed<Device>(waves(1003, 0.7));
  std::vector<Device::Element> y(x.size()), dx(x.size());
  Device::DropoutShape shape = dropout_of(x.size());
  OnDevice<Device::Element> device_x(x), device_dy(dy), device_y(y), device_dx(dx);
  launch(dropout_kernel(1),
         "relu_dropout",
         {.blocks = 1},
         {device_x.argument(), device_y.argument(), &shape});
  on_host::run(126, 1, [&] { Device::relu_dropout(x.data(), y.data(), shape); });
  expect_near<Device>(device_y.values(), y, 0x1.0p-7);
  for (const int columns : {17, 59}) {  // of 59 and 17 rows
    Device::ColumnStrips strips{1003 / columns, 10, columns};
    std::vector<float> partial(size_t{8} * static_cast<size_t>(columns));
    OnDevice<float> device_partial(partial);
    launch(column_sums_kernel(1),
           "relu_dropout_backward",
           {.blocks = 2, .threads = 128},
           {device_dy.argument(),
            device_y.argument(),
            device_dx.argument(),
            device_partial.argument(),
            &shape.kept,
            &strips});
    on_host::run(8, 1, [&] {
      Device::relu_dropout_backward(
          dy.data(), y.data(), dx.data(), partial.data(), shape.kept, strips);
    });
    expect_near<Device>(device_dx.values(), dx, 0x1.0p-7);
    expect_near<on_host::Fp32>(device_partial.values(), partial, 1e-5);
  }
}

TEST_F(CudaKernelsOnTheGpu, AddUpColumnsAsOnTheHost) {
  using Device = on_host::Bf16;
  for (const int columns : {264, 299}) {
    Device::ColumnStrips strips{150, 19, columns};
    const auto x = narrowed<Device>(waves(size_t{150} * columns, 0.4));
    std::vector<float> partial(size_t{8} * columns);
    OnDevice<Device::Element> device_x(x);
    OnDevice<float> device_partial(partial);
    launch(column_sums_kernel(1),
           "column_sums",
           {.blocks = 2, .blocks_y = 2, .threads = 128},
           {device_x.argument(), device_partial.argument(), &strips});
    on_host::run(8, 2, [&] { Device::column_sums(x.data(), partial.data(), strips); });
    expect_near<on_host::Fp32>(device_partial.values(), partial, 1e-6);
  }
}

/// The rows of a vocabulary may or may not fill packs.
template <class Device>
void compute_loss_on_both(int element, int columns, double tolerance) {
  SCOPED_TRACE(columns);
  constexpr int64_t kLossRows = 7;
  const auto vocabulary = static_cast<size_t>(columns);
  std::vector<float> values = waves(kLossRows * vocabulary, 0.3);
  for (float& value : values) value *= 5.0F;
  auto logits = narrowed<Device>(values);
  const auto bias = waves(vocabulary, 0.9);
  std::vector<typename Device::int64> gold;
  for (int64_t row = 0; row < kLossRows; ++row) gold.push_back((row * 391 + 5) % columns);
  const std::vector<typename Device::int64> unsmoothed = {1, 2, 396}, excluded = {1};
  std::vector<float> results(3 * kLossRows);
  typename Device::LossShape shape{
      kLossRows, columns, 3, 1, 1, 1.0F, {0.0001F, 0.9F, 0.1F}, {0.0002F, 0.8F, 0.2F}};
  OnDevice<typename Device::Element> device_logits(logits);
  OnDevice<float> device_bias(bias), device_results(results);
  OnDevice<typename Device::int64> device_gold(gold), device_unsmoothed(unsmoothed),
      device_excluded(excluded);
  KernelLauncher::instance().launch(loss_kernel(element),
                                    "cross_entropy",
                                    {.blocks = 2, .threads = 128},
                                    nullptr,
                                    {device_logits.argument(),
                                     device_bias.argument(),
                                     device_gold.argument(),
                                     device_unsmoothed.argument(),
                                     device_excluded.argument(),
                                     device_results.argument(),
                                     &shape});
  on_host::run(kLossRows, 1, [&] {
    Device::cross_entropy(logits.data(),
                          bias.data(),
                          gold.data(),
                          unsmoothed.data(),
                          excluded.data(),
                          results.data(),
                          shape);
  });
  expect_near<on_host::Fp32>(device_results.values(), results, 2e-5);
  expect_near<Device>(device_logits.values(), logits, tolerance);
}

TEST_F(CudaKernelsOnTheGpu, ComputeTheLossAsOnTheHost) {
  for (const int columns : {1003, 4000}) {
    compute_loss_on_both<on_host::Fp32>(0, columns, 1e-6);
    compute_loss_on_both<on_host::Bf16>(1, columns, 0x1.0p-8);
    compute_loss_on_both<on_host::Fp16>(2, columns, 0x1.0p-11);
  }
}

/// Attention of three sentences with two heads of 32 columns, on the host and on the GPU.
template <class Device>
class AttentionOnBoth {
 public:
  AttentionOnBoth(int element, bool causal, double tolerance)
      : kernel_(attention_kernel(element, on_host::kHeadDim)), tolerance_(tolerance) {
    shape_ = {0,
              kWidth,
              kWidth,
              kWidth,
              kTokens,
              kHeads,
              causal ? 1 : 0,
              0.21F,
              0x123456789abcdef1ULL,
              nn::kernels::dropout_threshold(0.3),
              1 / 0.7F};
  }

  /// Attends tile by tile; the tiles of queries and of keys are the same here.
  void attend_by_tiles() {
    const std::vector<Tile> tiles = {{0, 16, 0, 0, 37},
                                     {16, 16, 16, 0, 37},
                                     {32, 5, 32, 0, 37},
                                     {37, 16, 0, 37, 21},
                                     {53, 5, 16, 37, 21},
                                     {58, 1, 0, 58, 1}};
    OnDevice<Tile> device_tiles(tiles);
    std::vector<float> deltas(log_sums_.size());
    OnDevice<float> device_deltas(deltas);
    shape_.tiles = static_cast<long long>(tiles.size());
    attend_tiles_on_device(device_tiles, device_deltas);
    attend_tiles_on_host(tiles, deltas);
    expect_near<on_host::Fp32>(device_deltas.values(), deltas, tolerance_);
    expect_same_results();
  }

  void attend_by_sentences() {
    using Sentence = typename Device::AttentionSentence;
    const std::vector<Sentence> sentences = {{0, 37, 0, 37}, {37, 21, 37, 21}, {58, 1, 58, 1}};
    OnDevice<Sentence> device_sentences(sentences);
    shape_.tiles = static_cast<long long>(sentences.size());
    const LaunchShape grid{
        .blocks = 3, .blocks_y = kHeads, .threads = 32, .shared_bytes = 40 * 1024};
    start_forward("attention_of_sentences", grid, device_sentences);
    start("attention_backward_of_sentences",
          grid,
          {device_dout_.argument()},
          {device_out_.argument(),
           device_sentences.argument(),
           device_log_sums_.argument(),
           device_dq_.argument(),
           device_dk_.argument(),
           device_dv_.argument()});
    on_host::run(3, kHeads, [&] {
      Device::attention_of_sentences(
          q_.data(), k_.data(), v_.data(), sentences.data(), out_.data(), log_sums_.data(), shape_);
    });
    on_host::run(3, kHeads, [&] {
      Device::attention_backward_of_sentences(dout_.data(),
                                              q_.data(),
                                              k_.data(),
                                              v_.data(),
                                              out_.data(),
                                              sentences.data(),
                                              log_sums_.data(),
                                              dq_.data(),
                                              dk_.data(),
                                              dv_.data(),
                                              shape_);
    });
    expect_same_results();
  }

 private:
  using Element = typename Device::Element;
  using Tile = typename Device::AttentionTile;
  static constexpr int kWidth = 64, kTokens = 59, kHeads = 2;

  static std::vector<Element> matrix(double phase) {
    return narrowed<Device>(waves(size_t{kTokens} * kWidth, phase));
  }
  static std::vector<Element> result() { return std::vector<Element>(size_t{kTokens} * kWidth); }

  /// Passes the arguments to a kernel: its first ones, then queries, keys and values, the others,
  /// and the shape.
  void start(const char* function,
             const LaunchShape& grid,
             std::vector<void*> arguments,
             const std::vector<void*>& others) {
    for (auto* const matrix : {&device_q_, &device_k_, &device_v_})
      arguments.push_back(matrix->argument());
    arguments.insert(arguments.end(), others.begin(), others.end());
    arguments.push_back(&shape_);
    KernelLauncher::instance().launch(kernel_, function, grid, nullptr, arguments);
  }
  template <class Shares>
  void start_forward(const char* function, const LaunchShape& grid, Shares& shares) {
    start(function,
          grid,
          {},
          {shares.argument(), device_out_.argument(), device_log_sums_.argument()});
  }
  void attend_tiles_on_device(OnDevice<Tile>& device_tiles, OnDevice<float>& device_deltas) {
    const LaunchShape grid{.blocks = 2, .blocks_y = kHeads, .threads = 128};
    start_forward("attention", grid, device_tiles);
    start("attention_backward_queries",
          grid,
          {device_dout_.argument()},
          {device_out_.argument(),
           device_tiles.argument(),
           device_log_sums_.argument(),
           device_deltas.argument(),
           device_dq_.argument()});
    start("attention_backward_keys",
          grid,
          {device_dout_.argument()},
          {device_tiles.argument(),
           device_log_sums_.argument(),
           device_deltas.argument(),
           device_dk_.argument(),
           device_dv_.argument()});
  }
  void attend_tiles_on_host(const std::vector<Tile>& tiles, std::vector<float>& deltas) {
    on_host::run(8, kHeads, [&] {
      Device::attention(
          q_.data(), k_.data(), v_.data(), tiles.data(), out_.data(), log_sums_.data(), shape_);
    });
    on_host::run(8, kHeads, [&] {
      Device::attention_backward_queries(dout_.data(),
                                         q_.data(),
                                         k_.data(),
                                         v_.data(),
                                         out_.data(),
                                         tiles.data(),
                                         log_sums_.data(),
                                         deltas.data(),
                                         dq_.data(),
                                         shape_);
    });
    on_host::run(8, kHeads, [&] {
      Device::attention_backward_keys(dout_.data(),
                                      q_.data(),
                                      k_.data(),
                                      v_.data(),
                                      tiles.data(),
                                      log_sums_.data(),
                                      deltas.data(),
                                      dk_.data(),
                                      dv_.data(),
                                      shape_);
    });
  }
  void expect_same_results() {
    expect_near<on_host::Fp32>(device_log_sums_.values(), log_sums_, 1e-4);
    expect_near<Device>(device_out_.values(), out_, tolerance_);
    expect_near<Device>(device_dq_.values(), dq_, tolerance_);
    expect_near<Device>(device_dk_.values(), dk_, tolerance_);
    expect_near<Device>(device_dv_.values(), dv_, tolerance_);
  }

  const KernelSource& kernel_;
  double tolerance_;
  typename Device::AttentionShape shape_;
  std::vector<Element> q_ = matrix(0.2), k_ = matrix(0.5), v_ = matrix(0.8), dout_ = matrix(1.1);
  std::vector<Element> out_ = result(), dq_ = result(), dk_ = result(), dv_ = result();
  std::vector<float> log_sums_ = std::vector<float>(size_t{kHeads} * kTokens);
  OnDevice<Element> device_q_{q_}, device_k_{k_}, device_v_{v_}, device_dout_{dout_},
      device_out_{out_}, device_dq_{dq_}, device_dk_{dk_}, device_dv_{dv_};
  OnDevice<float> device_log_sums_{log_sums_};
};

TEST_F(CudaKernelsOnTheGpu, AttendAsOnTheHost) {
  for (const bool causal : {false, true}) {
    SCOPED_TRACE(causal);
    AttentionOnBoth<on_host::Bf16>(1, causal, 0x1.0p-6).attend_by_tiles();
    AttentionOnBoth<on_host::Fp16>(2, causal, 0x1.0p-9).attend_by_tiles();
    AttentionOnBoth<on_host::Bf16>(1, causal, 0x1.0p-6).attend_by_sentences();
    AttentionOnBoth<on_host::Fp16>(2, causal, 0x1.0p-9).attend_by_sentences();
  }
}

TEST_F(CudaKernelsOnTheGpu, StepAsOnTheHost) {
  using Device = on_host::Bf16;
  std::vector<float> p = waves(1000, 0.2), m = waves(1000, 0.4), v(1000, 0.3F);
  const std::vector<float> g = waves(1000, 1.7);
  std::vector<Device::Element> copy(p.size());
  Device::AdamStep by{0.9F, 0.1F, 0.98F, 0.02F, 0.999F, 0.05F, 1e-8F};
  OnDevice<float> device_p(p), device_g(g), device_m(m), device_v(v);
  OnDevice<Device::Element> device_copy(copy);
  const bool yes = true;
  const double scale = 0.25;
  OnDevice<unsigned char> device_keep({1});
  OnDevice<double> device_scale({scale});
  Device::int64 elements = static_cast<Device::int64>(p.size());
  launch(adam_kernel(1),
         "adam",
         {.blocks = 4},
         {device_p.argument(),
          device_g.argument(),
          device_m.argument(),
          device_v.argument(),
          device_copy.argument(),
          device_keep.argument(),
          device_scale.argument(),
          &elements,
          &by});
  on_host::run(1000, 1, [&] {
    Device::adam(p.data(), g.data(), m.data(), v.data(), copy.data(), &yes, &scale, elements, by);
  });
  const auto found = device_p.values();
  for (size_t i = 0; i < p.size(); ++i) ASSERT_NEAR(found[i], p[i], 1e-6) << i;
  expect_near<Device>(device_copy.values(), copy, 0x1.0p-7);
}

TEST_F(CudaKernelsOnTheGpu, EmbedAsOnTheHost) {
  using Device = on_host::Fp32;
  constexpr int64_t kTokens = 100;  // the id 2 spans several cuts
  std::vector<Device::int64> ids, positions, order, sorted;
  for (int64_t i = 0; i < kTokens; ++i) {
    ids.push_back(i % 5 == 0 ? 0 : i % 7 == 0 ? 3 : 2);
    positions.push_back(i % 3);
    order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return ids[static_cast<size_t>(a)] < ids[static_cast<size_t>(b)];
  });
  for (const auto row : order) sorted.push_back(ids[static_cast<size_t>(row)]);
  constexpr int kWidth = 37;
  const auto table = waves(size_t{4} * kWidth, 0.3), places = waves(size_t{3} * kWidth, 0.8);
  const auto dy = waves(ids.size() * kWidth, 1.1);
  Device::EmbeddingShape shape{
      kTokens, kWidth, 1.5F, 77, nn::kernels::dropout_threshold(0.3), 1 / 0.7F};
  std::vector<float> y(dy.size()), gradient(table.size(), 0.5F), partial(dy.size());
  OnDevice<Device::int64> device_ids(ids), device_positions(positions), device_order(order),
      device_sorted(sorted);
  OnDevice<float> device_table(table), device_places(places), device_y(y), device_dy(dy),
      device_gradient(gradient), device_partial(partial);
  Device::int64 skip = 3;
  launch(embedding_kernel(0),
         "embed",
         {.blocks = 15},
         {device_ids.argument(),
          device_positions.argument(),
          device_table.argument(),
          device_places.argument(),
          device_y.argument(),
          &shape});
  launch(embedding_kernel(0),
         "embed_backward_cuts",
         {.blocks = kTokens, .threads = 64},
         {device_dy.argument(),
          device_sorted.argument(),
          device_order.argument(),
          device_partial.argument(),
          &skip,
          &shape});
  launch(embedding_kernel(0),
         "embed_backward",
         {.blocks = kTokens, .threads = 64},
         {device_partial.argument(),
          device_sorted.argument(),
          device_gradient.argument(),
          &skip,
          &shape});
  on_host::run(static_cast<unsigned>(y.size()), 1, [&] {
    Device::embed(ids.data(), positions.data(), table.data(), places.data(), y.data(), shape);
  });
  on_host::run(kTokens, kWidth, [&] {
    Device::embed_backward_cuts(
        dy.data(), sorted.data(), order.data(), partial.data(), skip, shape);
  });
  on_host::run(kTokens, kWidth, [&] {
    Device::embed_backward(partial.data(), sorted.data(), gradient.data(), skip, shape);
  });
  expect_near<Device>(device_y.values(), y, 1e-6);
  expect_near<Device>(device_gradient.values(), gradient, 1e-5);
}

}  // namespace
}  // namespace phraseq::cuda

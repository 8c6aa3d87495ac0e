// The kernels on a GPU, against the same sources compiled as C++. Skipped where there is no GPU or
// no NVRTC.

#include <algorithm>
#include <cmath>
#include <dlfcn.h>
#include <numeric>
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

/// Equal up to the order of sums, and so up to one unit in the last place of 16 bits.
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

template <class Device>
void normalize_on_both(int element, double tolerance) {
  using Element = typename Device::Element;
  constexpr int64_t kSomeRows = 9;
  constexpr int kSomeColumns = 77;
  constexpr size_t kSomeElements = kSomeRows * kSomeColumns;
  const auto x = narrowed<Device>(waves(kSomeElements, 0.1));
  const auto residual = narrowed<Device>(waves(kSomeElements, 0.5));
  const auto dy = narrowed<Device>(waves(kSomeElements, 0.9));
  const auto gain = waves(kSomeColumns, 1.3), bias = waves(kSomeColumns, 2.1);
  typename Device::NormShape shape{kSomeRows,
                                   kSomeColumns,
                                   1e-6F,
                                   0x123456789abcdef1ULL,
                                   nn::kernels::dropout_threshold(0.3),
                                   1 / 0.7F};
  std::vector<Element> y(kSomeElements), dx(kSomeElements), d_residual(kSomeElements);
  std::vector<float> mean(kSomeRows), rstd(kSomeRows);
  OnDevice<Element> device_x(x), device_rest(residual), device_dy(dy), device_y(y), device_dx(dx),
      device_sum(d_residual);
  OnDevice<float> device_gain(gain), device_bias(bias), device_mean(mean), device_rstd(rstd);
  const LaunchShape grid{.blocks = (kSomeRows + 3) / 4, .threads = 128};  // four warps: four rows
  const KernelSource kernel = dropout_add_norm_kernel(element);
  KernelLauncher& launcher = KernelLauncher::instance();
  launcher.launch(kernel,
                  "dropout_add_norm",
                  grid,
                  nullptr,
                  {device_x.argument(),
                   device_rest.argument(),
                   device_gain.argument(),
                   device_bias.argument(),
                   device_y.argument(),
                   device_mean.argument(),
                   device_rstd.argument(),
                   &shape});
  launcher.launch(kernel,
                  "dropout_add_norm_backward",
                  grid,
                  nullptr,
                  {device_dy.argument(),
                   device_x.argument(),
                   device_rest.argument(),
                   device_gain.argument(),
                   device_mean.argument(),
                   device_rstd.argument(),
                   device_dx.argument(),
                   device_sum.argument(),
                   &shape});
  on_host::run(kSomeRows, 1, [&] {
    Device::dropout_add_norm(x.data(),
                             residual.data(),
                             gain.data(),
                             bias.data(),
                             y.data(),
                             mean.data(),
                             rstd.data(),
                             shape);
  });
  on_host::run(kSomeRows, 1, [&] {
    Device::dropout_add_norm_backward(dy.data(),
                                      x.data(),
                                      residual.data(),
                                      gain.data(),
                                      mean.data(),
                                      rstd.data(),
                                      dx.data(),
                                      d_residual.data(),
                                      shape);
  });
  expect_near<Device>(device_y.values(), y, tolerance);
  expect_near<Device>(device_dx.values(), dx, tolerance);
  expect_near<Device>(device_sum.values(), d_residual, tolerance);
}

TEST_F(CudaKernelsOnTheGpu, NormalizeAsOnTheHost) {
  normalize_on_both<on_host::Fp32>(0, 1e-5);
  normalize_on_both<on_host::Bf16>(1, 0x1.0p-7);
  normalize_on_both<on_host::Fp16>(2, 0x1.0p-10);
}

TEST_F(CudaKernelsOnTheGpu, DropAndAddAsOnTheHost) {
  using Device = on_host::Bf16;
  const auto x = narrowed<Device>(waves(1000, 0.2)), residual = narrowed<Device>(waves(1000, 0.7));
  std::vector<Device::Element> y(x.size());
  Device::int64 elements = static_cast<Device::int64>(x.size());
  Device::uint64 key = 0x123456789abcdef1ULL;
  Device::uint32 threshold = nn::kernels::dropout_threshold(0.3);
  float kept = 1 / 0.7F;
  OnDevice<Device::Element> device_x(x), device_rest(residual), device_y(y);
  launch(dropout_kernel(1),
         "dropout_add",
         {.blocks = 4},
         {device_x.argument(),
          device_rest.argument(),
          device_y.argument(),
          &elements,
          &key,
          &threshold,
          &kept});
  on_host::run(1000, 1, [&] {
    Device::dropout_add(x.data(), residual.data(), y.data(), elements, key, threshold, kept);
  });
  expect_near<Device>(device_y.values(), y, 0x1.0p-7);
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
  const std::vector<Device::int64> ids = {2, 0, 2, 3, 2, 0}, positions = {0, 1, 2, 0, 1, 2},
                                   order = {1, 5, 0, 2, 4, 3}, sorted = {0, 0, 2, 2, 2, 3};
  constexpr int kWidth = 37;
  const auto table = waves(size_t{4} * kWidth, 0.3), places = waves(size_t{3} * kWidth, 0.8);
  const auto dy = waves(ids.size() * kWidth, 1.1);
  Device::EmbeddingShape shape{6, kWidth, 1.5F, 77, nn::kernels::dropout_threshold(0.3), 1 / 0.7F};
  std::vector<float> y(dy.size()), gradient(table.size(), 0.5F);
  OnDevice<Device::int64> device_ids(ids), device_positions(positions), device_order(order),
      device_sorted(sorted);
  OnDevice<float> device_table(table), device_places(places), device_y(y), device_dy(dy),
      device_gradient(gradient);
  Device::int64 skip = 3;
  launch(embedding_kernel(0),
         "embed",
         {.blocks = 1},
         {device_ids.argument(),
          device_positions.argument(),
          device_table.argument(),
          device_places.argument(),
          device_y.argument(),
          &shape});
  launch(embedding_kernel(0),
         "embed_backward",
         {.blocks = 6, .threads = 64},
         {device_dy.argument(),
          device_sorted.argument(),
          device_order.argument(),
          device_gradient.argument(),
          &skip,
          &shape});
  on_host::run(static_cast<unsigned>(y.size()), 1, [&] {
    Device::embed(ids.data(), positions.data(), table.data(), places.data(), y.data(), shape);
  });
  on_host::run(6, kWidth, [&] {
    Device::embed_backward(dy.data(), sorted.data(), order.data(), gradient.data(), skip, shape);
  });
  expect_near<Device>(device_y.values(), y, 1e-6);
  expect_near<Device>(device_gradient.values(), gradient, 1e-6);
}

}  // namespace
}  // namespace phraseq::cuda

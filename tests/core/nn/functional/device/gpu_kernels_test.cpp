// The CUDA kernels in their places, against the kernels of the CPU, which draw the same masks: on a
// GPU with PHRASEQ_CUDA_KERNELS=1, or on the emulated one with tests/fake_cuda. Skipped elsewhere.

#include "core/nn/functional/device/gpu_kernels.h"

#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include <ATen/Context.h>
#include <gmock/gmock.h>
#include <torch/nn/module.h>

#include "core/nn/flat_parameters.h"
#include "core/nn/functional/functional.h"
#include "core/nn/functional/reference/operators_only.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using phraseq::testing::leaf;
using phraseq::testing::normal;

constexpr int64_t kRows = 301, kColumns = 299;  // several blocks, none of them full

/// Half a unit in the last place.
double rounding(at::ScalarType type) {
  return type == at::kFloat ? 2e-6 : type == at::kBFloat16 ? 0x1.02p-9 : 0x1.02p-12;
}

Precision precision_of(at::ScalarType type) {
  return type == at::kFloat      ? Precision::kFp32
         : type == at::kBFloat16 ? Precision::kBf16
                                 : Precision::kFp16;
}

void expect_near(const at::Tensor& found, const at::Tensor& expected, at::ScalarType type) {
  const at::Tensor a = found.detach().cpu().to(at::kDouble);
  const at::Tensor b = expected.detach().cpu().to(at::kDouble);
  EXPECT_TRUE(phraseq::testing::close(a, b, 2e-5, 2 * rounding(type)));  // 2e-5: the order of sums
}

/// The result of a function and the gradients of its inputs. Numbers that have the type `type` are
/// rounded to it and then computed with as `as`.
using Inputs = std::vector<at::Tensor>;
using Function = std::function<at::Tensor(const Inputs&, Context&)>;
Inputs results(const Function& function,
               const Inputs& given,
               at::Device device,
               at::ScalarType type,
               at::ScalarType as) {
  Inputs inputs;
  for (const at::Tensor& x : given) {
    const auto own = x.scalar_type() == type ? as : x.scalar_type();
    const at::Tensor copy = x.detach().to(device, own, false, /*copy=*/true);
    inputs.push_back(copy.is_floating_point() ? copy.requires_grad_() : copy);
  }
  Context context(true, precision_of(as), 9);
  const at::Tensor out = function(inputs, context);
  out.backward(normal(out.sizes(), 4).to(type).to(as).to(device));
  Inputs all = {out};
  for (const at::Tensor& x : inputs) {
    if (x.requires_grad())
      all.push_back(x.grad());
  }
  return all;
}

/// Whether the driver is that of tests/fake_cuda.
bool is_emulated() { return dlsym(RTLD_DEFAULT, "phraseq_fake_cuda") != nullptr; }

class KernelsOfAGpu : public ::testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override {
    const bool are_there = at::hasCUDA() && gpu::has_kernels(at::empty({1}, at::kCUDA));
    ASSERT_TRUE(are_there || !is_emulated());
    if (!are_there)
      GTEST_SKIP() << "there is no GPU with NVRTC, or PHRASEQ_CUDA_KERNELS=1 is not set";
    setenv("PHRASEQ_FAKE_CUDA_LAUNCHES", launches_.c_str(), 1);
  }
  ~KernelsOfAGpu() override { unsetenv("PHRASEQ_FAKE_CUDA_LAUNCHES"); }

  /// Names and numbers of launches, which only the driver of the emulated GPU tells.
  void expect_launches(const std::map<std::string, int>& expected) const {
    std::ifstream file(launches_);
    std::map<std::string, int> found;
    for (std::string name; std::getline(file, name);) ++found[name];
    if (is_emulated()) {
      EXPECT_EQ(found, expected);
    }
  }

  /// The CPU computes in fp32 (or in `as`): the kernels round once, at the end.
  static void expect_as_on_the_cpu(const Function& function,
                                   const Inputs& inputs,
                                   at::ScalarType as = at::kFloat) {
    const Inputs found = results(function, inputs, at::kCUDA, GetParam(), GetParam());
    const Inputs expected = results(function, inputs, at::kCPU, GetParam(), as);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      SCOPED_TRACE(i);
      expect_near(found[i], expected[i], GetParam());
    }
  }

  static at::Tensor rows(uint64_t seed) { return normal({kRows, kColumns}, seed).to(GetParam()); }
  static at::Tensor vector(uint64_t seed) { return normal({kColumns}, seed, at::kFloat); }

  TemporaryFolder folder_;
  std::string launches_ = folder_.file("launches");
};

TEST_P(KernelsOfAGpu, DropAndAdd) {
  expect_as_on_the_cpu(
      [](const Inputs& in, Context& context) { return dropout(in[0], 0.3, context); }, {rows(1)});
  expect_launches({{"dropout_add", 2}});
  expect_as_on_the_cpu(
      [](const Inputs& in, Context& context) { return dropout_add(in[0], in[1], 0.3, context); },
      {rows(1), rows(2)});
  expect_launches({{"dropout_add", 4}});
}

/// By operators on the CPU, too: where ReLU begins, products that are rounded in other places have
/// other gradients.
TEST_P(KernelsOfAGpu, DropBehindAnActivation) {
  const OperatorsOnly as_on_a_gpu;
  expect_as_on_the_cpu(
      [](const Inputs& in, Context& context) {
        return linear(in[0], in[1], in[2], context, Activation::kRelu, 0.3);
      },
      {normal({kRows, 8}, 1).to(GetParam()),
       normal({kColumns, 8}, 2, at::kFloat),
       normal({kColumns}, 3, at::kFloat)},
      GetParam());
  expect_launches({{"dropout_add", 2}});
}

TEST_P(KernelsOfAGpu, NormalizeASum) {
  const Function with_residual = [](const Inputs& in, Context& context) {
    return dropout_add_norm(in[0], in[1], in[2], in[3], 1e-5, 0.3, context);
  };
  expect_as_on_the_cpu(with_residual, {rows(1), rows(2), vector(3), vector(4)});
  expect_launches(
      {{"dropout_add_norm", 1}, {"dropout_add_norm_backward", 1}, {"norm_parameter_gradients", 1}});
}

TEST_P(KernelsOfAGpu, NormalizeWithoutDropout) {
  const Function plain = [](const Inputs& in, Context& context) {
    return layer_norm(in[0], in[1], in[2], 1e-5, context);
  };
  expect_as_on_the_cpu(plain, {rows(1), vector(3), vector(4)});
  expect_launches(
      {{"dropout_add_norm", 1}, {"dropout_add_norm_backward", 1}, {"norm_parameter_gradients", 1}});
}

TEST_P(KernelsOfAGpu, Embed) {
  const at::Tensor ids = at::arange(kRows, at::kLong).mul(7).remainder(11);
  const at::Tensor positions = at::arange(kRows, at::kLong).remainder(13);
  const Function embedding = [](const Inputs& in, Context& context) {
    return embed(in[0], in[1], in[2], in[3], 1.5, 0.3, /*padding_id=*/4, context);
  };
  expect_as_on_the_cpu(embedding,
                       {ids,
                        positions,
                        normal({11, kColumns}, 1, at::kFloat),
                        normal({13, kColumns}, 2, at::kFloat)});
  expect_launches({{"embed", 1}, {"embed_backward", 2}});
  const Function without_positions = [](const Inputs& in, Context& context) {
    return embed(in[0], in[1], in[2], {}, 1.5, 0.0, -1, context);
  };
  expect_as_on_the_cpu(without_positions, {ids, positions, normal({11, kColumns}, 1, at::kFloat)});
  expect_launches({{"embed", 2}, {"embed_backward", 3}});
}

INSTANTIATE_TEST_SUITE_P(Types,
                         KernelsOfAGpu,
                         ::testing::Values(at::kFloat, at::kBFloat16, at::kHalf));

struct OneNorm : torch::nn::Module {
  OneNorm() {
    gain = register_parameter("gain", normal({kColumns}, 3, at::kFloat));
    bias = register_parameter("bias", normal({kColumns}, 4, at::kFloat));
    table = register_parameter("table", normal({11, kColumns}, 5, at::kFloat));
  }
  at::Tensor gain, bias, table;
};

class KernelsOfAGpuWithFlatGradients : public KernelsOfAGpu {};

/// Gradients of parameters are added to the flat gradients, on top of what is there.
TEST_P(KernelsOfAGpuWithFlatGradients, AddToTheFlatGradients) {
  const auto gradients = [](at::Device device) {
    OneNorm module;
    module.to(device);
    FlatParameters flat(module, /*with_gradients=*/true);
    flat.gradients().fill_(0.25);
    Context context(true, precision_of(GetParam()), 3, &flat);
    const at::Tensor ids = at::arange(kRows, at::kLong).remainder(11).to(device);
    const at::Tensor x = embed(ids, ids, module.table, {}, 2.0, 0.2, -1, context);
    const at::Tensor y = layer_norm(x, module.gain, module.bias, 1e-5, context);
    y.backward(rows(7).to(device));
    return flat.gradients().cpu();
  };
  expect_near(gradients(at::kCUDA), gradients(at::kCPU), GetParam());
}

/// In 16 bits, the gradient between the two functions is rounded in other places.
INSTANTIATE_TEST_SUITE_P(Fp32, KernelsOfAGpuWithFlatGradients, ::testing::Values(at::kFloat));

}  // namespace
}  // namespace phraseq::nn

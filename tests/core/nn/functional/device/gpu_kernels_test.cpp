// Compares the CUDA kernels, called by the functions that use them, with the kernels of the CPU,
// which draw the same masks: on a GPU with NVRTC, or on the emulated one with tests/fake_cuda.
// Skipped elsewhere.

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
#include "core/nn/functional/attention.h"
#include "core/nn/functional/device/best_columns.h"
#include "core/nn/functional/embedding.h"
#include "core/nn/functional/incremental.h"
#include "core/nn/functional/linear.h"
#include "core/nn/functional/log_softmax_top_k.h"
#include "core/nn/functional/normalization.h"
#include "core/nn/kernels/activation.h"
#include "core/nn/loss/projected_loss.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/core/nn/functional/rich_layout.h"
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
/// rounded to it; the computation uses the type `as`.
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
      GTEST_SKIP() << "there is no GPU with NVRTC, or PHRASEQ_CUDA_KERNELS=0 is set";
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

  /// Compares with the CPU, which computes in fp32 (or in `as`): the kernels round only their
  /// results.
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

  /// Compares norms of differences instead, where more than the result is rounded.
  static void expect_norms_as_on_the_cpu(const Function& function,
                                         const Inputs& inputs,
                                         at::ScalarType as,
                                         double roundings) {
    const Inputs found = results(function, inputs, at::kCUDA, GetParam(), GetParam());
    const Inputs expected = results(function, inputs, at::kCPU, GetParam(), as);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      const at::Tensor a = found[i].detach().cpu().to(at::kDouble);
      const at::Tensor b = expected[i].detach().to(at::kDouble);
      EXPECT_LT((a - b).norm().item<double>(),
                roundings * rounding(GetParam()) * b.norm().item<double>())
          << i;
    }
  }

  static at::Tensor rows(uint64_t seed) { return normal({kRows, kColumns}, seed).to(GetParam()); }
  static at::Tensor vector(uint64_t seed) { return normal({kColumns}, seed, at::kFloat); }

  TemporaryFolder folder_;
  std::string launches_ = folder_.file("launches");
};

/// The tensor cores take factors of 16 bits.
class KernelsOfAGpuInSixteenBits : public KernelsOfAGpu {};

TEST_P(KernelsOfAGpu, DropAndAdd) {
  expect_as_on_the_cpu(
      [](const Inputs& in, Context& context) { return dropout(in[0], 0.3, context); }, {rows(1)});
  expect_launches({{"dropout_add", 2}});
  expect_as_on_the_cpu(
      [](const Inputs& in, Context& context) { return dropout_add(in[0], in[1], 0.3, context); },
      {rows(1), rows(2)});
  expect_launches({{"dropout_add", 4}});
}

/// The inputs are whole numbers, so that every product is exact, and ReLU begins at the same
/// numbers on both sides.
TEST_P(KernelsOfAGpu, ApplyDropoutAfterReLU) {
  const auto whole = [](at::IntArrayRef sizes, uint64_t seed) {
    return normal(sizes, seed, at::kFloat).mul(2).round();
  };
  expect_norms_as_on_the_cpu(
      [](const Inputs& in, Context& context) {
        return linear(in[0], in[1], in[2], context, Activation::kRelu, 0.3);
      },
      {whole({kRows, 8}, 1).to(GetParam()), whole({kColumns, 8}, 2), whole({kColumns}, 3)},
      at::kFloat,
      2);
  expect_launches({{"relu_dropout", 1}, {"relu_dropout_backward", 1}});
}

/// Without dropout, the product computes the ReLU.
TEST_P(KernelsOfAGpu, RectifyInTheProduct) {
  const auto whole = [](at::IntArrayRef sizes, uint64_t seed) {
    return normal(sizes, seed, at::kFloat).mul(2).round();
  };
  const at::Tensor x = whole({kRows, 8}, 1).to(GetParam()), weight = whole({kColumns, 8}, 2);
  for (const bool has_bias : {true, false}) {
    expect_norms_as_on_the_cpu(
        [&](const Inputs& in, Context& context) {
          const at::Tensor bias = has_bias ? in[2] : at::Tensor();
          return linear(in[0], in[1], bias, context, Activation::kRelu, 0.0);
        },
        has_bias ? Inputs{x, weight, whole({kColumns}, 3)} : Inputs{x, weight},
        at::kFloat,
        2);
  }
  expect_launches({{"relu_dropout", 1}, {"relu_dropout_backward", 2}});
}

TEST_P(KernelsOfAGpu, NormalizeASum) {
  const Function with_residual = [](const Inputs& in, Context& context) {
    return dropout_add_norm(in[0], in[1], in[2], in[3], 1e-5, 0.3, context);
  };
  expect_as_on_the_cpu(with_residual, {rows(1), rows(2), vector(3), vector(4)});
  expect_launches({{"dropout_add_norm", 1}, {"dropout_add_norm_backward", 1}});
}

TEST_P(KernelsOfAGpu, NormalizeWithoutDropout) {
  const Function plain = [](const Inputs& in, Context& context) {
    return layer_norm(in[0], in[1], in[2], 1e-5, context);
  };
  expect_as_on_the_cpu(plain, {rows(1), vector(3), vector(4)});
  expect_launches({{"dropout_add_norm", 1}, {"dropout_add_norm_backward", 1}});
}

TEST_P(KernelsOfAGpu, Embed) {
  const at::Tensor ids = at::arange(kRows, at::kLong).mul(7).remainder(11);
  const at::Tensor positions = at::arange(kRows, at::kLong).remainder(13);
  const Function embedding = [](const Inputs& in, Context& context) {
    return embed(in[0], in[1], in[2], in[3], {1.5, 0.3, /*padding_id=*/4}, context);
  };
  expect_as_on_the_cpu(embedding,
                       {ids,
                        positions,
                        normal({11, kColumns}, 1, at::kFloat),
                        normal({13, kColumns}, 2, at::kFloat)});
  expect_launches({{"embed", 1}, {"embed_backward_cuts", 2}, {"embed_backward", 2}});
  const Function without_positions = [](const Inputs& in, Context& context) {
    return embed(in[0], in[1], in[2], {}, {1.5, 0.0, -1}, context);
  };
  expect_as_on_the_cpu(without_positions, {ids, positions, normal({11, kColumns}, 1, at::kFloat)});
  expect_launches({{"embed", 2}, {"embed_backward_cuts", 3}, {"embed_backward", 3}});
}

/// The rows are read in packs of 16 bytes.
TEST_P(KernelsOfAGpu, NormalizeRowsOfPacks) {
  constexpr int64_t kWidth = 296;
  const Function with_residual = [](const Inputs& in, Context& context) {
    return dropout_add_norm(in[0], in[1], in[2], in[3], 1e-5, 0.3, context);
  };
  expect_as_on_the_cpu(with_residual,
                       {normal({kRows, kWidth}, 1).to(GetParam()),
                        normal({kRows, kWidth}, 2).to(GetParam()),
                        normal({kWidth}, 3, at::kFloat),
                        normal({kWidth}, 4, at::kFloat)});
}

/// Rows that do not fit in the registers of a warp are normalized by operators.
TEST_P(KernelsOfAGpu, NormalizeLongRows) {
  constexpr int64_t kWidth = 2056;
  const Function plain = [](const Inputs& in, Context& context) {
    return layer_norm(in[0], in[1], in[2], 1e-5, context);
  };
  expect_as_on_the_cpu(plain,
                       {normal({9, kWidth}, 1).to(GetParam()),
                        normal({kWidth}, 3, at::kFloat),
                        normal({kWidth}, 4, at::kFloat)});
  expect_launches({});
}

/// The loss has a bias, classes outside the softmax, and label smoothing. Both sides round logits
/// and their gradients to the type of activations, some of them in different directions, so norms
/// are compared.
TEST_P(KernelsOfAGpu, ComputeTheLoss) {
  for (const int64_t vocabulary : {int64_t{96}, int64_t{101}}) {
    SCOPED_TRACE(vocabulary);
    const auto loss = [](const Inputs& in, Context& context) {
      const std::vector<int64_t> excluded = {1}, unsmoothed = {0, 50};
      return projected_cross_entropy(in[0],
                                     in[1],
                                     in[2],
                                     in[3],
                                     {0.1, Smoothing::kNeutron, excluded, unsmoothed},
                                     context)
          .loss.reshape({1});
    };
    const Inputs inputs = {normal({kRows, 8}, 1).to(GetParam()),
                           normal({vocabulary, 8}, 2, at::kFloat),
                           normal({vocabulary}, 3, at::kFloat),
                           at::arange(kRows, at::kLong).mul(7).remainder(vocabulary - 2).add(2)};
    expect_norms_as_on_the_cpu(loss, inputs, GetParam(), 2);
  }
  expect_launches({{"cross_entropy", 2}, {"column_sums", 2}});
}

PackedTokens tokens_of(const std::vector<int64_t>& offsets) {
  PackedTokens tokens;
  tokens.offsets = offsets;
  return tokens;
}

/// The kernel rounds weights to 16 bits. A wrong mask or a wrong dropout mask would change a
/// quarter of the result.
TEST_P(KernelsOfAGpuInSixteenBits, Attend) {
  const PackedTokens source = tokens_of({0, 5, 21, 22, 60}),
                     target = tokens_of({0, 17, 20, 53, 70});
  for (const double p : {0.0, 0.3}) {
    SCOPED_TRACE(p);
    for (const bool causal : {false, true}) {
      expect_norms_as_on_the_cpu(
          [&](const Inputs& in, Context& context) {
            return self_attention(in[0], source, {2, 0.2, p, causal}, context);
          },
          {normal({60, 192}, 1).to(GetParam())},
          at::kFloat,
          4);
    }
    expect_norms_as_on_the_cpu(
        [&](const Inputs& in, Context& context) {
          return cross_attention(in[0], in[1], target, source, {2, 0.2, p, false}, context);
        },
        {normal({70, 64}, 1).to(GetParam()), normal({60, 128}, 2).to(GetParam())},
        at::kFloat,
        4);
  }
  expect_launches({{"attention_of_sentences", 6}, {"attention_backward_of_sentences", 6}});
}

/// Sentences that do not fit in shared memory are computed tile by tile.
TEST_P(KernelsOfAGpuInSixteenBits, AttendToLongSentences) {
  const PackedTokens source = tokens_of({0, 150, 155}), target = tokens_of({0, 9, 160});
  for (const bool causal : {false, true}) {
    expect_norms_as_on_the_cpu(
        [&](const Inputs& in, Context& context) {
          return self_attention(in[0], source, {2, 0.2, 0.3, causal}, context);
        },
        {normal({155, 192}, 1).to(GetParam())},
        at::kFloat,
        4);
  }
  expect_norms_as_on_the_cpu(
      [&](const Inputs& in, Context& context) {
        return cross_attention(in[0], in[1], target, source, {2, 0.2, 0.3, false}, context);
      },
      {normal({160, 64}, 1).to(GetParam()), normal({155, 128}, 2).to(GetParam())},
      at::kFloat,
      4);
  expect_launches(
      {{"attention", 3}, {"attention_backward_queries", 3}, {"attention_backward_keys", 3}});
}

/// Windows of tokens, several kinds of keys under one softmax, and several kinds of queries.
TEST_P(KernelsOfAGpuInSixteenBits, AttendToPhrases) {
  constexpr int64_t kHeadDim = 32;
  const AttentionLayout layout = phraseq::testing::rich_layout(kHeadDim);
  const std::vector<int64_t> offsets = {0, 1, 3, 3, 20, 40};
  for (const bool causal : {false, true}) {
    const double p = causal ? 0.3 : 0.0;
    expect_norms_as_on_the_cpu(
        [&](const Inputs& in, Context& context) {
          return grouped_attention(in[0], in[0], {offsets, offsets}, layout, causal, p, context);
        },
        {normal({40, phraseq::testing::rich_columns(kHeadDim)}, 1).to(GetParam())},
        at::kFloat,
        4);
  }
  expect_launches({{"sum_windows", 6},
                   {"spread_windows", 6},
                   {"grouped_attention", 4},
                   {"grouped_attention_backward_queries", 4},
                   {"grouped_attention_backward_keys", 4}});
}

/// One of the sentences has no keys, so its results are zero.
TEST_P(KernelsOfAGpuInSixteenBits, AttendToPhrasesOfAnotherMatrix) {
  constexpr int64_t kHeadDim = 32;
  const AttentionLayout layout = phraseq::testing::cross_layout(kHeadDim);
  const std::vector<int64_t> queries = {0, 4, 5, 8, 30}, keys = {0, 7, 9, 9, 44};
  expect_norms_as_on_the_cpu(
      [&](const Inputs& in, Context& context) {
        return grouped_attention(in[0], in[1], {queries, keys}, layout, false, 0.2, context);
      },
      {normal({30, 25 * kHeadDim}, 1).to(GetParam()),
       normal({44, 16 * kHeadDim}, 2).to(GetParam())},
      at::kFloat,
      4);
  expect_launches({{"sum_windows", 3},
                   {"spread_windows", 3},
                   {"grouped_attention", 2},
                   {"grouped_attention_backward_queries", 2},
                   {"grouped_attention_backward_keys", 2}});
}

/// The gradient of a query that is the same vector against all kinds of keys is summed over them.
TEST_P(KernelsOfAGpuInSixteenBits, AttendToWordsAndPhrasesWithOneQuery) {
  constexpr int64_t kModel = 64;
  AttentionLayout layout = plain_layout(kModel, 2, 0.2, 6 * kModel);
  layout.key_kinds = 2;
  layout.groups[0].keys.push_back({1,
                                   {.column = 2 * kModel, .window = 2, .window_step = kModel},
                                   {.column = 4 * kModel, .window = 2, .window_step = kModel},
                                   1,
                                   0.3});
  const std::vector<int64_t> offsets = {0, 5, 22, 40};
  expect_norms_as_on_the_cpu(
      [&](const Inputs& in, Context& context) {
        return grouped_attention(in[0], in[0], {offsets, offsets}, layout, true, 0.2, context);
      },
      {normal({40, 7 * kModel}, 1).to(GetParam())},
      at::kFloat,
      4);
  expect_launches({{"sum_windows", 1},
                   {"spread_windows", 1},
                   {"grouped_attention", 1},
                   {"grouped_attention_backward_queries", 1},
                   {"grouped_attention_backward_keys", 1}});
}

/// Another kernel than for sentences that all have keys.
TEST_P(KernelsOfAGpuInSixteenBits, AttendToSentencesWithoutKeys) {
  const PackedTokens source = tokens_of({0, 5, 5, 22}), target = tokens_of({0, 17, 20, 33});
  expect_norms_as_on_the_cpu(
      [&](const Inputs& in, Context& context) {
        return cross_attention(in[0], in[1], target, source, {2, 0.2, 0.3, false}, context);
      },
      {normal({33, 64}, 1).to(GetParam()), normal({22, 128}, 2).to(GetParam())},
      at::kFloat,
      4);
  expect_launches({{"grouped_attention", 1},
                   {"grouped_attention_backward_queries", 1},
                   {"grouped_attention_backward_keys", 1}});
}

/// Decodes 20 steps, which take two blocks, with a beam of six rows that is reordered and loses
/// rows.
at::Tensor attend_step_by_step(at::Device device, at::ScalarType type, at::ScalarType as) {
  constexpr int64_t kModel = 64;
  const at::NoGradGuard no_gradients;
  std::vector<int64_t> order = {2, 2, 0, 4, 3, 1};
  Ancestry ancestry(6);
  SelfAttentionCache cache;
  std::vector<at::Tensor> outs;
  for (uint64_t step = 0; step < 20; ++step) {
    const at::Tensor kvq = normal({ancestry.rows(), 3 * kModel}, step).to(type).to(as).to(device);
    ancestry.advance();
    outs.push_back(cache.append_and_attend(kvq, ancestry, 2, 0.3).cpu().to(at::kDouble));
    if (step == 11)
      order = {3, 0, 2};
    ancestry.select(order);
    if (step == 11)
      order = {1, 2, 1};
  }
  return at::cat(outs);
}

TEST_P(KernelsOfAGpu, AttendToThePast) {
  const at::Tensor expected = attend_step_by_step(at::kCPU, GetParam(), at::kFloat);
  const at::Tensor found = attend_step_by_step(at::kCUDA, GetParam(), GetParam());
  EXPECT_LT((found - expected).norm().item<double>(),
            2 * rounding(GetParam()) * expected.norm().item<double>());
  expect_launches({{"attend_to_past", 20}});
}

/// A past of more than 32 blocks of 16 steps is computed by operators.
TEST_P(KernelsOfAGpu, AttendToALongPast) {
  const at::NoGradGuard no_gradients;
  constexpr int64_t kModel = 64, kSteps = 32 * 16 + 2;
  Ancestry ancestry(1);
  SelfAttentionCache on_gpu, on_cpu;
  for (uint64_t step = 0; step < kSteps; ++step) {
    const at::Tensor kvq = normal({1, 3 * kModel}, step).to(GetParam());
    ancestry.advance();
    const at::Tensor found = on_gpu.append_and_attend(kvq.to(at::kCUDA), ancestry, 2, 0.3);
    const at::Tensor expected = on_cpu.append_and_attend(kvq.to(at::kFloat), ancestry, 2, 0.3);
    if (step + 4 > kSteps) {
      EXPECT_LT((found.cpu().to(at::kFloat) - expected).norm().item<double>(),
                8 * rounding(GetParam()) * expected.norm().item<double>())
          << step;
    }
  }
  expect_launches({{"attend_to_past", 32 * 16}});
}

/// Products of few rows, with columns that do not fill blocks of warps, and of some columns of a
/// matrix.
TEST_P(KernelsOfAGpu, MultiplyFewRows) {
  const at::NoGradGuard no_gradients;
  const at::Tensor weight = normal({kColumns, 72}, 2, at::kFloat), bias = vector(3);
  const at::Tensor all = normal({8, 144}, 1).to(GetParam());
  for (const int64_t count : {1, 3, 8}) {
    for (const Activation activation : {Activation::kNone, Activation::kRelu}) {
      const auto run = [&](at::Device device, at::ScalarType type, const at::Tensor& shift) {
        Context context(false, precision_of(type), 9);
        const at::Tensor x = all.to(device, type).narrow(0, 0, count).narrow(1, 72, 72);
        const at::Tensor by = weight.to(GetParam()).to(at::kFloat).to(device);
        const at::Tensor rounded =
            shift.defined() ? shift.to(GetParam()).to(at::kFloat).to(device) : shift;
        return linear(x, by, rounded, context, activation, 0.0);
      };
      for (const at::Tensor& shift : {bias, at::Tensor()})
        expect_near(
            run(at::kCUDA, GetParam(), shift), run(at::kCPU, at::kFloat, shift), GetParam());
    }
  }
  expect_launches({{"few_rows_product", 12}});
}

TEST_P(KernelsOfAGpu, FindTheBestColumns) {
  constexpr int64_t kBest = 9;
  for (const int64_t columns : {43, 4096}) {
    const at::Tensor scores = normal({7, columns}, 3).mul(3).to(GetParam());
    const at::Tensor asked = at::arange(7, at::kLong).view({7, 1});
    const at::Tensor found =
        gpu::best_columns(scores.to(at::kCUDA), asked.to(at::kCUDA), kBest).cpu();
    const at::Tensor wide = scores.to(at::kFloat).contiguous();
    for (int64_t row = 0; row < 7; ++row) {
      std::vector<RankedColumn> best;
      const double log_sum = log_softmax_top_k(
          std::span(wide[row].const_data_ptr<float>(), static_cast<size_t>(columns)),
          kBest,
          {},
          false,
          best);
      const float* const own = found[row].const_data_ptr<float>();
      for (int64_t i = 0; i < kBest; ++i) {
        EXPECT_EQ(own[kBest + i], static_cast<float>(best[static_cast<size_t>(i)].column));
        EXPECT_NEAR(own[i] - log_sum, best[static_cast<size_t>(i)].log_probability, 1e-5);
      }
      EXPECT_EQ(own[2 * kBest], wide[row][row].item<float>());
      EXPECT_NEAR(own[2 * kBest + 1], log_sum, 1e-5);
    }
  }
  expect_launches({{"best_columns", 2}});
}

INSTANTIATE_TEST_SUITE_P(Types,
                         KernelsOfAGpu,
                         ::testing::Values(at::kFloat, at::kBFloat16, at::kHalf));
INSTANTIATE_TEST_SUITE_P(Types,
                         KernelsOfAGpuInSixteenBits,
                         ::testing::Values(at::kBFloat16, at::kHalf));

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
    const at::Tensor x = embed(ids, ids, module.table, {}, {2.0, 0.2, -1}, context);
    const at::Tensor y = layer_norm(x, module.gain, module.bias, 1e-5, context);
    y.backward(rows(7).to(device));
    return flat.gradients().cpu();
  };
  expect_near(gradients(at::kCUDA), gradients(at::kCPU), GetParam());
}

/// Only in fp32: in 16 bits, the gradient between the two functions is rounded in other places.
INSTANTIATE_TEST_SUITE_P(Fp32, KernelsOfAGpuWithFlatGradients, ::testing::Values(at::kFloat));

}  // namespace
}  // namespace phraseq::nn

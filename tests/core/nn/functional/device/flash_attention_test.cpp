// On a GPU, or on the emulated one (LD_PRELOAD); skipped where there is none.

#include "core/nn/functional/device/attention/flash_attention.h"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string_view>

#include <ATen/Context.h>
#include <ATen/record_function.h>

#include "core/nn/functional/attention.h"
#include "core/nn/functional/device/attention/device_offsets.h"
#include "core/nn/functional/device/gpu_kernels.h"
#include "core/nn/functional/incremental.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using phraseq::testing::close;
using phraseq::testing::leaf;
using phraseq::testing::normal;
using phraseq::testing::sentences;

/// How often LibTorch's operators were called.
class FlashCalls {
 public:
  FlashCalls()
      : handle_(at::addGlobalCallback(
            at::RecordFunctionCallback(&note).scopes({at::RecordScope::FUNCTION}))) {
    forward_ = backward_ = 0;
  }
  ~FlashCalls() { at::removeCallback(handle_); }
  FlashCalls(const FlashCalls&) = delete;
  FlashCalls& operator=(const FlashCalls&) = delete;

  static int forward() { return forward_; }
  static int backward() { return backward_; }

 private:
  static std::unique_ptr<at::ObserverContext> note(const at::RecordFunction& function) {
    const std::string_view name = function.name();
    forward_ += name == "aten::_flash_attention_forward" ? 1 : 0;
    backward_ += name == "aten::_flash_attention_backward" ? 1 : 0;
    return nullptr;
  }

  static inline std::atomic<int> forward_ = 0, backward_ = 0;
  at::CallbackHandle handle_;
};

/// The output and the gradients of one attention, on the CPU in fp64.
struct Attended {
  at::Tensor out, dq, dkv;
};

struct Case {
  std::vector<int64_t> queries, keys;  ///< lengths
  bool causal = false;
  int64_t heads = 3, head_dim = 16;
  double dropout = 0.0;
};

/// q and kv are rounded to `type` on every device, so that only the attention differs.
Attended attend(const Case& is, at::Device device, at::ScalarType type, at::ScalarType rounding) {
  const PackedTokens queries = sentences(is.queries), keys = sentences(is.keys);
  const int64_t model = is.heads * is.head_dim;
  const auto input = [&](int64_t rows, int64_t columns, uint64_t seed) {
    return normal({rows, columns}, seed).to(rounding).to(type).to(device);
  };
  const at::Tensor q = leaf(input(queries.tokens(), model, 1));
  const at::Tensor kv = leaf(input(keys.tokens(), 2 * model, 2));
  Context context(true, type == at::kHalf ? Precision::kFp16 : Precision::kBf16, 5);
  const AttentionOptions options{is.heads, 0.6, is.dropout, is.causal};
  const at::Tensor out = cross_attention(q, kv, queries, keys, options, context);
  out.backward(input(queries.tokens(), model, 3));
  const auto plain = [](const at::Tensor& x) { return x.detach().to(at::kCPU).to(at::kDouble); };
  return {plain(out), plain(q.grad()), plain(kv.grad())};
}

double distance(const at::Tensor& a, const at::Tensor& b) {
  return ((a - b).norm() / b.norm()).item<double>();
}

void expect_near(const Attended& found, const Attended& expected, double tolerance) {
  EXPECT_LT(distance(found.out, expected.out), tolerance);
  EXPECT_LT(distance(found.dq, expected.dq), tolerance);
  EXPECT_LT(distance(found.dkv, expected.dkv), tolerance);
}

class FlashAttentionOnAGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!at::hasCUDA())
      GTEST_SKIP() << "there is no GPU";
    if (gpu::has_kernels(at::empty({1}, at::kCUDA)))
      GTEST_SKIP() << "phraseq's kernel attends to short sentences unless PHRASEQ_CUDA_KERNELS=0";
  }
  ~FlashAttentionOnAGpu() override { unsetenv("PHRASEQ_FLASH_ATTENTION"); }

  /// Expects the results of the padded path and of the equation, up to the rounding of weights to
  /// 16 bits.
  static void expect_as_the_others(const Case& is, bool by_operator) {
    for (const at::ScalarType type : {at::kBFloat16, at::kHalf}) {
      SCOPED_TRACE(type);
      const double tolerance = type == at::kHalf ? 0x1.0p-9 : 0x1.0p-6;
      const Attended exact = attend(is, at::kCPU, at::kDouble, type);
      {
        const FlashCalls calls;
        expect_near(attend(is, at::kCUDA, type, type), exact, tolerance);
        EXPECT_EQ(calls.forward(), by_operator ? 1 : 0);
        EXPECT_EQ(calls.backward(), by_operator ? 1 : 0);
      }
      setenv("PHRASEQ_FLASH_ATTENTION", "0", 1);
      const FlashCalls calls;
      expect_near(attend(is, at::kCUDA, type, type), exact, tolerance);
      EXPECT_EQ(calls.forward(), 0);
      unsetenv("PHRASEQ_FLASH_ATTENTION");
    }
  }
};

TEST_F(FlashAttentionOnAGpu, EqualsTheEquationForQueriesAndKeysOfDifferentLengths) {
  expect_as_the_others({{2, 5, 1, 130}, {4, 1, 19, 67}}, true);
}

TEST_F(FlashAttentionOnAGpu, EqualsTheEquationWhenCausal) {
  const Case causal{{2, 5, 1, 130}, {2, 5, 1, 130}, true};
  expect_as_the_others(causal, true);
  // A wrong mask would exceed the tolerance by far.
  Case not_causal = causal;
  not_causal.causal = false;
  EXPECT_GT(distance(attend(not_causal, at::kCPU, at::kDouble, at::kDouble).out,
                     attend(causal, at::kCPU, at::kDouble, at::kDouble).out),
            0.1);
}

TEST_F(FlashAttentionOnAGpu, ReadsQueriesKeysAndValuesFromOneMatrix) {
  const PackedTokens tokens = sentences({7, 1, 40});
  const at::Tensor rows = normal({48, 3 * 32}, 1).to(at::kBFloat16);
  const at::Tensor up = normal({48, 32}, 2).to(at::kBFloat16);
  for (const bool causal : {false, true}) {
    const AttentionOptions options{4, 0.4, 0.0, causal};
    const at::Tensor on_gpu = leaf(rows.to(at::kCUDA)), exact = leaf(rows.to(at::kDouble));
    Context half(true, Precision::kBf16), full(true, Precision::kFp64);
    const FlashCalls calls;
    const at::Tensor out = self_attention(on_gpu, tokens, options, half);
    const at::Tensor expected = self_attention(exact, tokens, options, full);
    out.backward(up.to(at::kCUDA));
    expected.backward(up.to(at::kDouble));
    EXPECT_EQ(calls.forward(), 1);
    EXPECT_EQ(calls.backward(), 1);
    EXPECT_LT(distance(out.cpu().to(at::kDouble), expected), 0x1.0p-6);
    EXPECT_LT(distance(on_gpu.grad().cpu().to(at::kDouble), exact.grad()), 0x1.0p-6);
  }
}

TEST_F(FlashAttentionOnAGpu, ComputesWithoutGradients) {
  const PackedTokens tokens = sentences({7, 1, 40});
  const at::Tensor rows = normal({48, 3 * 32}, 1).to(at::kBFloat16);
  const at::NoGradGuard no_gradients;
  Context half(false, Precision::kBf16), full(false, Precision::kFp64);
  const FlashCalls calls;
  const AttentionOptions options{4, 0.4, 0.1, true};  // nothing is dropped outside of training
  const at::Tensor out = self_attention(rows.to(at::kCUDA), tokens, options, half);
  EXPECT_EQ(calls.forward(), 1);
  EXPECT_LT(distance(out.cpu().to(at::kDouble),
                     self_attention(rows.to(at::kDouble), tokens, options, full)),
            0x1.0p-6);
}

TEST_F(FlashAttentionOnAGpu, LeavesUnsupportedCasesToOtherImplementations) {
  expect_as_the_others({{2, 5, 1}, {4, 0, 3}}, false);                // a sentence without keys
  expect_as_the_others({{2, 0, 1}, {4, 2, 3}}, false);                // one without queries
  expect_as_the_others({{2, 5, 1}, {4, 6, 3}, true}, false);          // causal, other lengths
  expect_as_the_others({{2, 5, 1}, {4, 6, 3}, false, 3, 12}, false);  // head dimension
  expect_as_the_others({{2, 5, 1}, {4, 6, 3}, false, 1, 264}, false);
  expect_as_the_others({{2, 5, 1}, {4, 6, 3}, false, 3, 16, 0.4}, false);  // dropout: same masks
}

TEST_F(FlashAttentionOnAGpu, LeavesRecordedWeightsAndFp32ToOtherImplementations) {
  const PackedTokens tokens = sentences({3, 2});
  const at::Tensor q = normal({5, 16}, 1, at::kFloat).to(at::kCUDA);
  const at::Tensor kv = normal({5, 32}, 2, at::kFloat).to(at::kCUDA);
  Context half(false, Precision::kBf16), full(false, Precision::kFp32);
  const FlashCalls calls;
  at::Tensor weights;
  (void)cross_attention(q.to(at::kBFloat16),
                        kv.to(at::kBFloat16),
                        tokens,
                        tokens,
                        {2, 0.5, 0.0, false},
                        half,
                        &weights);
  EXPECT_TRUE(close(weights.cpu().sum(1), at::ones({5}), 1e-5));
  (void)cross_attention(q, kv, tokens, tokens, {2, 0.5, 0.0, false}, full);
  EXPECT_EQ(calls.forward(), 0);
}

/// In a search, the rows of a beam attend to the keys of their sentences, one of which is finished.
TEST_F(FlashAttentionOnAGpu, AttendsWithTheRowsOfASearch) {
  const std::vector<int64_t> offsets = {0, 5, 12, 13};
  const at::Tensor q = normal({5, 32}, 1).to(at::kBFloat16),
                   kv = normal({13, 64}, 2).to(q.scalar_type());
  const at::NoGradGuard no_gradients;
  for (const std::vector<int64_t>& sentences :
       std::vector<std::vector<int64_t>>{{0, 0, 0, 2, 2}, {0, 1, 1, 2, 2}, {2, 0, 0, 1, 0}}) {
    const bool in_order = sentences[0] == 0;
    const FlashCalls calls;
    const at::Tensor found = decode_cross_attention(
        q.to(at::kCUDA), kv.to(at::kCUDA), offsets, sentences, /*heads=*/4, 0.4);
    EXPECT_EQ(calls.forward(), in_order ? 1 : 0);
    const at::Tensor expected = decode_cross_attention(
        q.to(at::kDouble), kv.to(at::kDouble), offsets, sentences, /*heads=*/4, 0.4);
    EXPECT_LT(distance(found.cpu().to(at::kDouble), expected), 0x1.0p-6);
  }
}

TEST_F(FlashAttentionOnAGpu, CopiesTheOffsetsOfABatchOnce) {
  const std::vector<int64_t> source = {0, 3, 4}, target = {0, 1, 9};
  const at::Tensor first = device_offsets(source, at::Device(at::kCUDA, 0));
  const at::Tensor other = device_offsets(target, at::Device(at::kCUDA, 0));
  EXPECT_TRUE(device_offsets(source, at::Device(at::kCUDA, 0)).is_same(first));
  EXPECT_TRUE(first.cpu().equal(at::tensor({0, 3, 4}, at::kInt)));
  EXPECT_TRUE(other.cpu().equal(at::tensor({0, 1, 9}, at::kInt)));
  for (int64_t i = 10; i < 20; ++i)
    EXPECT_EQ(device_offsets({0, i}, at::Device(at::kCUDA, 0)).cpu()[1].item<int>(), i);
  EXPECT_TRUE(device_offsets(source, at::Device(at::kCUDA, 0)).cpu().equal(first.cpu()));
}

}  // namespace
}  // namespace phraseq::nn

// Compares the n-gram LSTM with PyTorch's LSTM over explicit windows, and its kernels with ATen's
// operators.

#include "plugins/architectures/phrase_transformer/windowed_lstm.h"

#include <gtest/gtest.h>
#include <torch/nn/modules/rnn.h>

#include "core/nn/flat_parameters.h"
#include "core/nn/functional/reference/functional_reference.h"
#include "plugins/architectures/phrase_transformer/lstm_on_gpu.h"
#include "plugins/architectures/phrase_transformer/ngram_lstm.h"
#include "plugins/architectures/phrase_transformer/windowed_lstm_reference.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::phrase_transformer {
namespace {

using phraseq::testing::close;
using phraseq::testing::expect_gradient;
using phraseq::testing::leaf;
using phraseq::testing::normal;

constexpr int64_t kStreams = 2, kWidth = 5;

/// Sentences of 5, 1 and 3 tokens: some longer than the windows, some shorter.
PackedTokens three_sentences() { return PackedTokens::pack({{4, 5, 6, 7, 8}, {4}, {9, 5, 4}}); }

/// All windows as rows, [gram, tokens · streams, width], with zero rows before the sentence.
at::Tensor explicit_windows(const at::Tensor& rows, const PackedTokens& tokens, int64_t gram) {
  const at::Tensor by_token = rows.view({tokens.tokens(), -1, rows.size(1)});
  std::vector<at::Tensor> places;
  for (int64_t place = 0; place < gram; ++place) {
    std::vector<at::Tensor> at_place;
    for (int64_t sentence = 0; sentence < tokens.sentences(); ++sentence) {
      for (int64_t t = 0; t < tokens.length(sentence); ++t) {
        const int64_t u = t - (gram - 1) + place;
        at_place.push_back(u < 0 ? at::zeros_like(by_token[0])
                                 : by_token[tokens.offsets[static_cast<size_t>(sentence)] + u]);
      }
    }
    places.push_back(at::cat(at_place));
  }
  return at::stack(places);
}

/// PyTorch's LSTM with the same parameters, over explicit windows.
at::Tensor pytorch(const torch::nn::Module& ours,
                   const at::Tensor& windows,
                   bool add_hidden,
                   bool add_cell) {
  const int64_t width = windows.size(2);
  torch::nn::LSTM lstm(torch::nn::LSTMOptions(width, width).bidirectional(true));
  lstm->to(windows.scalar_type());
  at::NoGradGuard no_grad;
  for (auto& entry : lstm->named_parameters())
    entry.value().copy_(ours.named_parameters()[entry.key()]);
  const auto [h, c] = std::get<1>(lstm->forward(windows));  // [2, rows, width]
  at::Tensor sum = at::zeros_like(h[0]);
  if (add_hidden)
    sum = sum + h.sum(0);
  return add_cell ? sum + c.sum(0) : sum;
}

NgramLstmOptions options_of(int64_t gram) {
  NgramLstmOptions options;
  options.gram = gram;
  options.width = kWidth;
  return options;
}

/// An LSTM with normal parameters in fp64.
std::shared_ptr<NgramLstm> lstm_of(const NgramLstmOptions& options) {
  auto lstm = std::make_shared<NgramLstm>(options);
  lstm->to(at::kDouble);
  at::NoGradGuard no_grad;
  uint64_t seed = 1;
  for (auto& parameter : lstm->parameters())
    parameter.copy_(0.7 * normal(parameter.sizes(), seed++));
  return lstm;
}

class NgramLstmOfGram : public ::testing::TestWithParam<int64_t> {};

TEST_P(NgramLstmOfGram, EqualsPyTorchsLstmOverExplicitWindows) {
  const PackedTokens tokens = three_sentences();
  const at::Tensor rows = normal({tokens.tokens() * kStreams, kWidth}, 7);
  const at::Tensor windows = explicit_windows(rows, tokens, GetParam());
  for (const auto& [hidden, cell] : {std::pair(true, true), {true, false}, {false, true}}) {
    NgramLstmOptions options = options_of(GetParam());
    options.add_hidden = hidden;
    options.add_cell = cell;
    const auto lstm = lstm_of(options);
    nn::Context context(false, nn::Precision::kFp64);
    EXPECT_TRUE(
        close(lstm->forward(rows, tokens, context), pytorch(*lstm, windows, hidden, cell), 1e-13));
  }
}

TEST_P(NgramLstmOfGram, GivesEachPlaceOfEachWindowItsOwnMaskUnderWindowScope) {
  const PackedTokens tokens = three_sentences();
  NgramLstmOptions options = options_of(GetParam());
  options.dropout = 0.4;
  options.window_dropout = true;
  const auto lstm = lstm_of(options);
  const at::Tensor rows = normal({tokens.tokens() * kStreams, kWidth}, 7);
  nn::Context context(true, nn::Precision::kFp64, 3), same(true, nn::Precision::kFp64, 3);
  const at::Tensor windows = explicit_windows(rows, tokens, GetParam());
  const at::Tensor dropped = nn::reference::dropout(windows, 0.4, same.next_dropout_key());
  EXPECT_TRUE(
      close(lstm->forward(rows, tokens, context), pytorch(*lstm, dropped, true, true), 1e-13));
}

TEST_P(NgramLstmOfGram, DropsATokenInAllItsWindowsUnderPositionScope) {
  const PackedTokens tokens = three_sentences();
  NgramLstmOptions options = options_of(GetParam());
  options.dropout = 0.4;
  const auto lstm = lstm_of(options);
  const at::Tensor rows = normal({tokens.tokens() * kStreams, kWidth}, 7);
  nn::Context context(true, nn::Precision::kFp64, 3), same(true, nn::Precision::kFp64, 3);
  const at::Tensor dropped = nn::reference::dropout(rows, 0.4, same.next_dropout_key());
  EXPECT_TRUE(close(lstm->forward(rows, tokens, context),
                    pytorch(*lstm, explicit_windows(dropped, tokens, GetParam()), true, true),
                    1e-13));
}

INSTANTIATE_TEST_SUITE_P(Grams, NgramLstmOfGram, ::testing::Values(1, 2, 3, 4, 7));

/// The inputs of windowed_lstm as leaf tensors.
struct Inputs {
  at::Tensor input;
  std::array<LstmParameters, 2> directions;
  Windows windows;

  Inputs(int64_t gram, bool shared, at::ScalarType type, int64_t width = kWidth) {
    const PackedTokens tokens = three_sentences();
    windows = {tokens.positions, gram, kStreams};
    const at::ScalarType wide = type == at::kDouble ? at::kDouble : at::kFloat;
    input = normal({windows.rows() * (shared ? 1 : gram), width}, 1, type);
    uint64_t seed = 2;
    for (LstmParameters& direction : directions) {
      direction = {leaf(0.5 * normal({4 * width, width}, seed++, wide)),
                   leaf(0.5 * normal({4 * width, width}, seed++, wide)),
                   leaf(normal({4 * width}, seed++, wide)),
                   leaf(normal({4 * width}, seed++, wide))};
    }
  }
  std::vector<at::Tensor> leaves() const {
    std::vector<at::Tensor> all;
    for (const auto& [weight_ih, weight_hh, bias_ih, bias_hh] : directions)
      all.insert(all.end(), {weight_ih, weight_hh, bias_ih, bias_hh});
    return all;
  }
};

at::Tensor kernels_of(const Inputs& inputs,
                      const at::Tensor& input,
                      const LstmSetting& setting,
                      nn::Context& context) {
  const auto& [forward, backward] = inputs.directions;
  return windowed_lstm(input, forward, backward, inputs.windows, setting, context);
}

at::Tensor operators_of(const Inputs& inputs, const at::Tensor& input, const LstmSetting& setting) {
  const auto last = [&](const LstmParameters& direction, bool reversed) {
    const at::Tensor products = at::mm(input, direction.weight_ih.to(input.scalar_type()).t());
    return reference::windowed_lstm(products, direction, inputs.windows, setting, reversed);
  };
  return last(inputs.directions[0], false) + last(inputs.directions[1], true);
}

struct KernelCase {
  const char* name;
  int64_t gram;
  LstmSetting setting;
};

void PrintTo(const KernelCase& c, std::ostream* out) { *out << c.name; }

class WindowedLstm : public ::testing::TestWithParam<KernelCase> {};

/// Compares values and all gradients of the kernels with those of ATen's operators.
void expect_as_operators(const KernelCase& c, at::ScalarType type, double tolerance) {
  const auto precision = type == at::kDouble     ? nn::Precision::kFp64
                         : type == at::kBFloat16 ? nn::Precision::kBf16
                                                 : nn::Precision::kFp32;
  // Wider than a vector, so that both loops and their remainders run.
  const Inputs own(c.gram, c.setting.shared_products, type, 19);
  const Inputs other(c.gram, c.setting.shared_products, type, 19);
  const at::Tensor x = leaf(own.input), y = leaf(other.input);
  nn::Context context(true, precision);
  const at::Tensor up = normal({own.windows.rows(), 19}, 5, type);
  const at::Tensor a = kernels_of(own, x, c.setting, context);
  const at::Tensor b = operators_of(other, y, c.setting);
  EXPECT_TRUE(close(a, b, tolerance, tolerance));
  a.backward(up);
  b.backward(up);
  EXPECT_TRUE(close(x.grad(), y.grad(), tolerance, tolerance));
  for (size_t i = 0; i < own.leaves().size(); ++i) {
    const at::Tensor expected = other.leaves()[i].grad();  // undefined if there is no recurrence
    EXPECT_TRUE(close(own.leaves()[i].grad(),
                      expected.defined() ? expected : at::zeros_like(other.leaves()[i]),
                      10 * tolerance,
                      tolerance));
  }
}

TEST_P(WindowedLstm, EqualsItsReferenceOfOperatorsInFp64) {
  expect_as_operators(GetParam(), at::kDouble, 1e-12);
}
TEST_P(WindowedLstm, EqualsItsReferenceOfOperatorsInFp32) {
  expect_as_operators(GetParam(), at::kFloat, 3e-6);
}
// bf16 has 8 bits: an activation has a relative error of 2^-9, which adds up over a few steps.
TEST_P(WindowedLstm, EqualsItsReferenceOfOperatorsInBf16) {
  expect_as_operators(GetParam(), at::kBFloat16, 0.04);
}

TEST_P(WindowedLstm, HasTheGradientOfFiniteDifferences) {
  const KernelCase& c = GetParam();
  const Inputs inputs(c.gram, c.setting.shared_products, at::kDouble);
  const at::Tensor up = normal({inputs.windows.rows(), kWidth}, 5);
  nn::Context context(true, nn::Precision::kFp64);
  const auto loss = [&](const Inputs& changed, const at::Tensor& input) {
    return (kernels_of(changed, input, c.setting, context) * up).sum();
  };
  expect_gradient(inputs.input, [&](const at::Tensor& x) { return loss(inputs, x); });
  for (size_t direction : {0, 1}) {
    for (const auto member : {&LstmParameters::weight_ih,
                              &LstmParameters::weight_hh,
                              &LstmParameters::bias_ih,
                              &LstmParameters::bias_hh}) {
      expect_gradient(inputs.directions[direction].*member, [&](const at::Tensor& value) {
        Inputs changed = inputs;
        changed.directions[direction].*member = value;
        return loss(changed, inputs.input);
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases,
                         WindowedLstm,
                         ::testing::Values(KernelCase{"OneGram", 1, {true, true, true}},
                                           KernelCase{"TwoGramsHidden", 2, {true, false, true}},
                                           KernelCase{"ThreeGrams", 3, {true, true, true}},
                                           KernelCase{"FourGramsCell", 4, {false, true, true}},
                                           KernelCase{"OneGramApart", 1, {true, true, false}},
                                           KernelCase{"ThreeGramsApart", 3, {true, true, false}}),
                         [](const auto& c) { return std::string(c.param.name); });

/// Compares the kernels of a GPU with those of the CPU in fp32, from the same numbers.
class WindowedLstmOnAGpu : public ::testing::Test {
 protected:
  static constexpr int64_t kGpuWidth = 24;

  void SetUp() override {
    if (!at::hasCUDA() || !gpu::has_lstm_kernels(at::empty({1, kGpuWidth}, at::kCUDA)))
      GTEST_SKIP() << "there is no GPU with NVRTC, or PHRASEQ_CUDA_KERNELS=0 is set";
  }

  /// The result, and the gradients of the input and all parameters.
  static std::vector<at::Tensor> results(const KernelCase& c, at::ScalarType type, bool on_gpu) {
    const at::Device device = on_gpu ? at::kCUDA : at::kCPU;
    Inputs inputs(c.gram, c.setting.shared_products, type, kGpuWidth);
    inputs.windows.positions = inputs.windows.positions.to(device);
    for (LstmParameters& direction : inputs.directions) {
      for (at::Tensor* x :
           {&direction.weight_ih, &direction.weight_hh, &direction.bias_ih, &direction.bias_hh})
        *x = leaf(x->detach().to(device));
    }
    const auto own = on_gpu ? type : at::kFloat;
    const at::Tensor x = leaf(inputs.input.to(device, own));
    nn::Context context(true, own == at::kFloat ? nn::Precision::kFp32 : nn::Precision::kBf16);
    const at::Tensor y = kernels_of(inputs, x, c.setting, context);
    y.backward(normal(y.sizes(), 5, type).to(device, own));
    std::vector<at::Tensor> all = {y.detach(), x.grad()};
    for (const at::Tensor& parameter : inputs.leaves()) all.push_back(parameter.grad());
    return all;
  }

  static void expect_as_on_the_cpu(at::ScalarType type, double tolerance) {
    for (const KernelCase& c : {KernelCase{"TwoGramsHidden", 2, {true, false, true}},
                                KernelCase{"FourGramsCell", 4, {false, true, true}},
                                KernelCase{"ThreeGramsApart", 3, {true, true, false}}}) {
      SCOPED_TRACE(c.name);
      const auto found = results(c, type, true), expected = results(c, type, false);
      for (size_t i = 0; i < found.size(); ++i) {
        const at::Tensor difference = found[i].cpu().to(at::kFloat) - expected[i];
        EXPECT_LT(difference.norm().item<double>(), tolerance * expected[i].norm().item<double>())
            << i;
      }
    }
  }
};

TEST_F(WindowedLstmOnAGpu, EqualsThatOfTheCpuInFp32) { expect_as_on_the_cpu(at::kFloat, 3e-6); }
TEST_F(WindowedLstmOnAGpu, EqualsThatOfTheCpuInBf16) { expect_as_on_the_cpu(at::kBFloat16, 0.02); }

TEST_F(WindowedLstmOnAGpu, DropsTheSameElementsOfWindows) {
  const PackedTokens tokens = three_sentences();
  std::vector<at::Tensor> results, gradients;
  for (const at::Device device : {at::kCPU, at::kCUDA}) {
    const Windows windows{tokens.positions.to(device), 3, kStreams};
    const at::Tensor rows = leaf(normal({windows.rows(), kGpuWidth}, 1, at::kFloat).to(device));
    nn::Context context(true, nn::Precision::kFp32, 11);
    results.push_back(gather_windows(rows, windows, 0.4, context));
    results.back().backward(normal(results.back().sizes(), 2, at::kFloat).to(device));
    gradients.push_back(rows.grad());
  }
  EXPECT_TRUE(close(results[1].cpu(), results[0], 1e-6));
  EXPECT_TRUE(close(gradients[1].cpu(), gradients[0], 1e-6));
}

TEST(GatherWindows, HasTheGradientOfFiniteDifferences) {
  const PackedTokens tokens = three_sentences();
  const Windows windows{tokens.positions, 3, kStreams};
  const at::Tensor up = normal({3 * windows.rows(), kWidth}, 5);
  expect_gradient(normal({windows.rows(), kWidth}, 1), [&](const at::Tensor& rows) {
    nn::Context context(true, nn::Precision::kFp64, 11);
    return (gather_windows(rows, windows, 0.4, context) * up).sum();
  });
}

TEST(GatherWindows, DrawsTheMasksThatOperatorsDraw) {
  const PackedTokens tokens = three_sentences();
  const Windows windows{tokens.positions, 4, kStreams};
  const at::Tensor rows = normal({windows.rows(), 70}, 1, at::kFloat);
  nn::Context context(true, nn::Precision::kFp32, 11), same(true, nn::Precision::kFp32, 11);
  EXPECT_TRUE(close(gather_windows(rows, windows, 0.4, context),
                    reference::gather_windows(rows, windows, 0.4, same.next_dropout_key()),
                    1e-6));
}

TEST(NgramLstm, AddsItsGradientsToTheFlatBufferUnderBf16) {
  const PackedTokens tokens = three_sentences();
  NgramLstmOptions options = options_of(3);
  options.width = 16;
  const at::Tensor rows = normal({tokens.tokens() * kStreams, 16}, 7, at::kFloat);
  const auto gradients = [&](nn::Precision precision) {
    NgramLstm lstm(options);
    nn::Initializer initializer(nn::InitializationStyle::kFairseq, 5);
    lstm.initialize(initializer);
    nn::FlatParameters flat(lstm, true);
    if (precision == nn::Precision::kBf16)
      flat.refresh_bf16();
    nn::Context context(true, precision, 1, &flat);
    lstm.forward(rows.to(context.activation_type()), tokens, context)
        .to(at::kFloat)
        .sum()
        .backward();
    return flat.gradients().clone();
  };
  const at::Tensor exact = gradients(nn::Precision::kFp32);
  EXPECT_GT(exact.abs().max().item<double>(), 1.0);
  EXPECT_TRUE(close(gradients(nn::Precision::kBf16), exact, 0.15, 0.02));
}

}  // namespace
}  // namespace phraseq::phrase_transformer

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/nn/recording.h"
#include "core/options/enum_name.h"
#include "plugins/architectures/phrasal_attention/alignment.h"
#include "plugins/architectures/phrasal_attention/model.h"
#include "plugins/architectures/phrasal_attention/phrase_attention.h"
#include "tests/support/architecture_checks.h"

namespace phraseq::phrasal {
namespace {

using testing_support::CheckedModel;
using testing_support::examples_of;

ArchitectureSetup small_setup() {
  ArchitectureSetup setup;
  setup.joined_dictionary = true;
  setup.source_vocabulary = setup.target_vocabulary = 11;
  return setup;
}

PhrasalAttentionOptions small_options(const std::string& type,
                                      const std::string& method,
                                      const std::string& ngrams) {
  PhrasalAttentionOptions options;
  options.set_sizes(12, 14, 3, 2);
  options.pa_type = enum_value(kPhraseTypeNames, type).value();
  options.pa_method = enum_value(kPhraseMethodNames, method).value();
  options.pa_ngrams = ngrams;
  options.max_source_positions = options.max_target_positions = 20;
  return options;
}

CheckedModel make(const PhrasalAttentionOptions& options) {
  return CheckedModel(std::make_shared<PhrasalAttentionModel>(options, small_setup()));
}

const std::vector<Example>& examples() {
  static const auto made =
      examples_of({{5, 9, 4, 7, 2}, {2}, {6, 2}}, {{4, 10, 7, 2}, {9, 5, 6, 3, 8, 2}, {2}});
  return made;
}

struct Variant {
  const char *type, *method, *ngrams;
};

constexpr Variant kVariants[] = {{"homogeneous", "convkv", "111"},
                                 {"homogeneous", "queryk", "111"},
                                 {"homogeneous", "queryk", "021"},
                                 {"heterogeneous", "convkv", "123"},
                                 {"heterogeneous", "queryk", "123"},
                                 {"heterogeneous", "convkv", "2"},
                                 {"heterogeneous", "queryk", "23"},
                                 {"interleaved", "convkv", "12"},
                                 {"interleaved", "queryk", "12"}};

TEST(PhrasalAttention, OfUnigramsAloneIsTheBaseTransformer) {
  PhrasalAttentionOptions options = small_options("homogeneous", "convkv", "3");
  const CheckedModel base(std::make_shared<nn::TransformerModel>(options, small_setup()));
  const std::vector<double> expected = base.log_probabilities(examples());
  for (const Variant& v : {Variant{"homogeneous", "convkv", "3"},
                           Variant{"homogeneous", "queryk", "30"},
                           Variant{"heterogeneous", "convkv", "1"},
                           Variant{"heterogeneous", "queryk", "1"}}) {
    EXPECT_THAT(make(small_options(v.type, v.method, v.ngrams)).log_probabilities(examples()),
                testing::Pointwise(testing::DoubleNear(1e-12), expected))
        << v.type << " " << v.method;
  }
  options.pa_type = PhraseType::kInterleaved;
  options.pa_ngrams.clear();
  options.pa_where.clear();
  EXPECT_THAT(make(options).log_probabilities(examples()),
              testing::Pointwise(testing::DoubleNear(1e-12), expected));
}

/// The parameter with this name.
at::Tensor parameter(const Architecture& model, const std::string& name) {
  return model.named_parameters()[name];
}

TEST(PhrasalAttention, InterleavedWithoutTheTapsOfPhrasesIsHeterogeneous) {
  at::NoGradGuard no_grad;
  for (const char* method : {"convkv", "queryk"}) {
    const CheckedModel heterogeneous = make(small_options("heterogeneous", method, "12"));
    const CheckedModel interleaved = make(small_options("interleaved", method, "12"));
    for (const auto& entry : heterogeneous.model().named_parameters()) {
      std::string name = entry.key();
      const size_t at = name.find("out_proj");
      if (at == std::string::npos) {
        parameter(interleaved.model(), name).copy_(entry.value());
        continue;
      }
      const at::Tensor kernel =
          parameter(interleaved.model(), name.replace(at, 8, "interleave_proj"));
      kernel.zero_();
      kernel.narrow(1, 12, 12).copy_(entry.value());  // (0, W_o[, 0])
    }
    EXPECT_THAT(
        interleaved.log_probabilities(examples()),
        testing::Pointwise(testing::DoubleNear(1e-12), heterogeneous.log_probabilities(examples())))
        << method;
  }
}

TEST(PhrasalAttention, NeverLetsADecoderSeeFutureTokens) {
  const auto longer = examples_of({{5, 9, 4, 7, 2}}, {{4, 10, 7, 5, 3, 2}});
  const auto other = examples_of({{5, 9, 4, 7, 2}}, {{4, 10, 7, 9, 8, 2}});
  for (const Variant& v : kVariants) {
    const CheckedModel model = make(small_options(v.type, v.method, v.ngrams));
    const at::Tensor a = model.logits(longer), b = model.logits(other);
    EXPECT_TRUE(at::equal(a.narrow(0, 0, 4), b.narrow(0, 0, 4))) << v.type << v.method << v.ngrams;
    EXPECT_GT((a[4] - b[4]).abs().max().item<double>(), 1e-4) << v.type << v.method << v.ngrams;
  }
}

TEST(PhrasalAttention, KeepsSentencesApartInABatch) {
  for (const Variant& v : kVariants)
    make(small_options(v.type, v.method, v.ngrams)).expect_alone_as_in_a_batch(examples());
}

/// One self-attention module in fp64 with golden values.
std::shared_ptr<PhraseSelfAttention> self_attention(const Variant& v) {
  auto module = std::make_shared<PhraseSelfAttention>(
      PhraseOptions::of(small_options(v.type, v.method, v.ngrams), Place::kDecoderSelf));
  module->to(at::kDouble);
  testing_support::set_golden_values(*module);
  return module;
}

TEST(PhrasalAttention, GivesZeroWhereThereIsNoKey) {
  at::NoGradGuard no_grad;
  nn::Context context(false, nn::Precision::kFp64);
  const PackedTokens tokens = PackedTokens::pack({{4, 5, 6}, {7}, {8, 9}});
  const at::Tensor x = at::sin(at::arange(6 * 12, at::kDouble)).view({6, 12});
  for (const char* method : {"convkv", "queryk"}) {
    const at::Tensor y =
        self_attention({"heterogeneous", method, "3"})->forward(x, tokens, true, context);
    for (const int64_t row : {0, 1, 3, 4, 5}) EXPECT_EQ(y[row].abs().max().item<double>(), 0.0);
    EXPECT_GT(y[2].abs().max().item<double>(), 1e-3);
  }
}

/// The recorded weights of one module: [query kinds, heads, tokens, key kinds, longest].
at::Tensor weights_of(const Variant& v, const PackedTokens& tokens, bool causal) {
  at::NoGradGuard no_grad;
  struct Owner : torch::nn::Module {};
  const auto owner = std::make_shared<Owner>();
  const auto module = owner->register_module("attn", self_attention(v));
  nn::Context context(false, nn::Precision::kFp64);
  nn::Recording recording;
  context.record_into(&recording);
  const int64_t count = tokens.tokens();
  module->forward(
      at::sin(at::arange(count * 12, at::kDouble)).view({count, 12}), tokens, causal, context);
  return recording.named(*owner).at("attn.weights");
}

TEST(PhrasalAttention, RecordsWeightsThatSumToOneOverTheKeysThatExist) {
  const PackedTokens tokens = PackedTokens::pack({{4, 5, 6}, {7, 8}});
  const at::Tensor weights = weights_of({"interleaved", "queryk", "12"}, tokens, true);
  ASSERT_EQ(weights.sizes(), (std::vector<int64_t>{2, 3, 5, 2, 3}));
  const at::Tensor sums = weights.sum({3, 4});
  EXPECT_LT((sums[0] - 1).abs().max().item<float>(), 1e-6F);
  const at::Tensor bigrams = at::tensor({0.0F, 1.0F, 1.0F, 0.0F, 1.0F}).expand({3, 5});
  EXPECT_LT((sums[1] - bigrams).abs().max().item<float>(), 1e-6F);
  // Token 1 of either sentence sees unigrams 0 and 1, and the bigram that ends at it.
  for (const int64_t row : {1, 4}) {
    EXPECT_TRUE(at::equal(weights[0][0][row].gt(0),
                          at::tensor({1, 1, 0, 0, 1, 0}, at::kLong).view({2, 3}).to(at::kBool)));
  }
}

TEST(PhrasalAttention, RecordsTheKeysOfAHomogeneousHeadByItsNgramLength) {
  const PackedTokens tokens = PackedTokens::pack({{4, 5, 6}});
  const at::Tensor weights = weights_of({"homogeneous", "convkv", "12"}, tokens, false);
  ASSERT_EQ(weights.sizes(), (std::vector<int64_t>{1, 3, 3, 2, 3}));
  EXPECT_EQ(weights[0][0].select(1, 1).abs().max().item<float>(), 0.0F);
  EXPECT_EQ(weights[0][1].select(1, 0).abs().max().item<float>(), 0.0F);
  EXPECT_TRUE(weights[0][2].select(1, 1).gt(0).all().item<bool>());  // including partial windows
}

TEST(AlignToTokens, SpreadsPhrasesOverTheirWordsAndAveragesHeadsAndQueries) {
  at::Tensor weights = at::zeros({2, 2, 2, 2, 3});
  weights[0][0][0] = at::tensor({0.5F, 0.0F, 0.0F, 0.0F, 0.5F, 0.0F}).view({2, 3});
  weights[0][1][0] = at::tensor({0.0F, 0.0F, 1.0F, 0.0F, 0.0F, 0.0F}).view({2, 3});
  weights[0][0][1] = at::tensor({0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 1.0F}).view({2, 3});
  weights[0][1][1] = at::tensor({0.0F, 0.0F, 0.0F, 1.0F, 0.0F, 0.0F}).view({2, 3});
  weights[1][0][1] = at::tensor({0.0F, 1.0F, 0.0F, 0.0F, 0.0F, 0.0F}).view({2, 3});
  weights[1][1][1] = at::tensor({0.0F, 1.0F, 0.0F, 0.0F, 0.0F, 0.0F}).view({2, 3});
  const at::Tensor aligned = align_to_tokens(weights, {1, 2}, at::tensor({1, 0}).to(at::kBool));
  const at::Tensor expected =
      at::tensor({0.375F, 0.125F, 0.5F, 0.25F, 0.625F, 0.125F}).view({2, 3});
  EXPECT_LT((aligned - expected).abs().max().item<float>(), 1e-6F);
}

TEST(PhrasalAttention, AlignsTheSameStepByStepAndInASinglePass) {
  at::NoGradGuard no_grad;
  for (const Variant& v : kVariants) {
    const PhrasalAttentionOptions options = small_options(v.type, v.method, v.ngrams);
    PhraseCrossAttention module(PhraseOptions::of(options, Place::kCross));
    module.to(at::kDouble);
    testing_support::set_golden_values(module);
    nn::Context context(false, nn::Precision::kFp64);
    const PackedTokens source = PackedTokens::pack({{4, 5, 6, 2}, {7, 2}});
    const PackedTokens target = PackedTokens::pack({{2, 4, 5}, {2, 6, 7}});
    const at::Tensor memory = at::sin(at::arange(6 * 12, at::kDouble)).view({6, 12});
    const at::Tensor x = at::cos(at::arange(6 * 12, at::kDouble)).view({2, 3, 12});
    at::Tensor full, weights;
    const at::Tensor expected =
        module.forward(x.view({6, 12}), target, memory, source, context, &full).view({2, 3, 12});
    EXPECT_EQ(full.sizes(), (std::vector<int64_t>{6, 4}));
    const auto state = module.start(memory, source, context);
    nn::DecodingRows rows{nn::Ancestry(2), source.offsets, {0, 1}};
    for (int64_t t = 0; t < 3; ++t) {
      rows.ancestry.advance();
      const at::Tensor y =
          module.step(x.select(1, t).contiguous(), *state, rows, context, &weights);
      EXPECT_LT((y - expected.select(1, t)).abs().max().item<double>(), 1e-12);
      EXPECT_LT((weights - full.view({2, 3, 4}).select(1, t)).abs().max().item<float>(), 1e-6F);
    }
  }
}

TEST(PhrasalAttention, StaysNearFp32UnderBf16InASinglePassAndStepByStep) {
  at::NoGradGuard no_grad;
  for (const Variant& v : kVariants) {
    PhraseSelfAttention module(
        PhraseOptions::of(small_options(v.type, v.method, v.ngrams), Place::kDecoderSelf));
    testing_support::set_golden_values(module);
    const PackedTokens tokens = PackedTokens::pack({{4, 5, 6, 2}, {7, 8, 9, 2}});
    const at::Tensor x = at::sin(at::arange(8 * 12, at::kFloat)).view({8, 12});
    nn::Context single(false, nn::Precision::kFp32), half(false, nn::Precision::kBf16);
    const at::Tensor expected = module.forward(x, tokens, true, single);
    const at::Tensor low = x.to(at::kBFloat16);
    const auto difference = [&](const at::Tensor& y, const at::Tensor& of) {
      return (y.to(at::kFloat) - of).abs().max().item<float>();
    };
    // Values up to about 3, eight bits each, a handful of roundings.
    EXPECT_LT(difference(module.forward(low, tokens, true, half), expected), 0.1F);
    const auto state = module.start();
    nn::DecodingRows rows{nn::Ancestry(2), {0, 0, 0}, {0, 1}};
    for (int64_t t = 0; t < 4; ++t) {
      rows.ancestry.advance();
      const at::Tensor y =
          module.step(low.view({2, 4, 12}).select(1, t).contiguous(), *state, rows, half);
      EXPECT_EQ(y.scalar_type(), at::kBFloat16);
      EXPECT_LT(difference(y, expected.view({2, 4, 12}).select(1, t)), 0.1F) << v.type << v.method;
    }
  }
}

TEST(PhrasalAttention, CountsMultiplyAddsAsItsMatrices) {
  PhrasalAttentionOptions options = small_options("interleaved", "queryk", "12");
  const PhrasalAttentionModel phrasal(options, small_setup());
  options.pa_where.clear();
  const PhrasalAttentionModel base(options, small_setup());
  // 17 d² instead of 4 d² in the encoder; 16 d² in the decoder, of which 5 d², the keys and values,
  // are for source tokens.
  const double extra = 2 * 144.0 * (7 * 13 + 5 * 12 + 5 * (11 - 2) + 7 * (5 - 2));
  EXPECT_EQ(phrasal.multiply_adds(7, 5) - base.multiply_adds(7, 5), extra);
}

TEST(PhrasalAttention, DrawsEachKernelByTheFanOfItsHeadGroup) {
  PhrasalAttentionOptions options = small_options("homogeneous", "convkv", "12");
  options.set_sizes(96, 14, 3, 1);
  PhrasalAttentionModel model(options, small_setup());
  model.initialize(3);
  const auto limit = [](double in, double out) { return std::sqrt(6.0 / (in + out)); };
  const auto expect_limit = [&](const char* name, double expected) {
    const double largest =
        parameter(model, std::string("encoder.layers.0.self_attn.") + name + ".weight")
            .abs()
            .max()
            .item<double>();
    EXPECT_LE(largest, expected) << name;
    EXPECT_GT(largest, 0.98 * expected) << name;
  };
  expect_limit("k_proj", limit(96, 32));
  expect_limit("v_proj_2", limit(2 * 96, 2 * 64));
  expect_limit("q_proj", limit(96, 96));
  expect_limit("out_proj", limit(96, 96));
}

TEST(PhrasalAttention, DrawsInterleavingsKernelsByTheirFans) {
  PhrasalAttentionOptions options = small_options("interleaved", "queryk", "12");
  options.set_sizes(96, 14, 3, 1);
  PhrasalAttentionModel model(options, small_setup());
  model.initialize(3);
  const auto expect_limit = [&](const char* name, double in, double out) {
    const double largest = parameter(model, name).abs().max().item<double>();
    const double expected = std::sqrt(6.0 / (in + out));
    EXPECT_LE(largest, expected) << name;
    EXPECT_GT(largest, 0.98 * expected) << name;
  };
  expect_limit("encoder.layers.0.self_attn.phrase_q_proj_2.weight", 192, 384);
  expect_limit("encoder.layers.0.self_attn.interleave_proj.weight", 288, 288);
  expect_limit("decoder.layers.0.encoder_attn.interleave_proj.weight", 192, 192);
}

}  // namespace
}  // namespace phraseq::phrasal

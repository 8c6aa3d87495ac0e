#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/options/enum_name.h"
#include "plugins/architectures/phrasal_attention/model.h"
#include "plugins/architectures/phrasal_attention/ngrams.h"
#include "plugins/architectures/phrasal_attention/phrase_plan.h"
#include "plugins/architectures/phrasal_attention/presets.h"
#include "tests/support/architecture_checks.h"

namespace phraseq::phrasal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(ParseNgrams, ReadsDigitsOneByOneAndNumbersBetweenCommas) {
  EXPECT_THAT(parse_ngrams("323"), ElementsAre(3, 2, 3));
  EXPECT_THAT(parse_ngrams("08"), ElementsAre(0, 8));
  EXPECT_THAT(parse_ngrams("10,6"), ElementsAre(10, 6));
}

TEST(ParseNgrams, RejectsTextThatIsNotAListOfNumbers) {
  for (const char* text :
       {"4x", "-4", "4,,4", "4,", ",", "", "4 4", "4.4", "4/4", "99999999999999999999,1"})
    EXPECT_THROW(parse_ngrams(text), UsageError) << text;
}

TEST(ParseNgrams, GivesEachStackItsPart) {
  EXPECT_EQ(ngrams_part("44", Stack::kEncoder), "44");
  EXPECT_EQ(ngrams_part("44", Stack::kDecoder), "44");
  EXPECT_EQ(ngrams_part("44/22", Stack::kEncoder), "44");
  EXPECT_EQ(ngrams_part("10,6/2,2", Stack::kDecoder), "2,2");
}

TEST(PhrasalAttentionOptions, NameValuesWithoutEffect) {
  PhrasalAttentionOptions options;
  options.pa_type = PhraseType::kHeterogeneous;
  EXPECT_THAT(options.without_effect(), IsEmpty());
  options.pa_where = {"enc"};
  options.pa_ngrams = "12/123";
  EXPECT_THAT(options.without_effect(),
              ElementsAre("the decoder's part of --pa-ngrams 12/123 has no effect with --pa-where "
                          "enc"));
  options.pa_ngrams = "12";
  EXPECT_THAT(options.without_effect(), IsEmpty());
  options.encoder_layers = 0;
  EXPECT_THAT(options.without_effect(),
              ElementsAre(HasSubstr("the model is the plain Transformer")));
}

TEST(PhrasalAttentionPresets, HaveNoValuesWithoutEffect) {
  for (const Preset& preset : phrasal_attention_presets()) {
    PhrasalAttentionOptions options;
    preset.apply(options);
    EXPECT_THAT(options.without_effect(), IsEmpty()) << preset.name;
  }
}

TEST(PhrasalAttentionOptions, AreThePapersByDefault) {
  const PhrasalAttentionOptions options;
  EXPECT_THAT(options.problems(), IsEmpty());
  EXPECT_EQ(options.pa_type, PhraseType::kInterleaved);
  EXPECT_EQ(options.pa_method, PhraseMethod::kQueryK);
  EXPECT_TRUE(options.encoder_normalize_before);
  EXPECT_TRUE(options.share_all_embeddings);
  EXPECT_EQ(options.pos, nn::PositionKind::kTensor2Tensor);
  EXPECT_EQ(options.init, nn::InitializationStyle::kTensor2Tensor);
  EXPECT_FALSE(options.attn_bias);
}

TEST(PhrasalAttentionOptions, FillInTheNgramsByTypeAndHeads) {
  PhrasalAttentionOptions options;
  EXPECT_THAT(options.ngrams_for(Stack::kEncoder), ElementsAre(1, 2));
  options.pa_type = PhraseType::kHomogeneous;
  options.decoder_attention_heads = 6;
  EXPECT_THAT(options.ngrams_for(Stack::kEncoder), ElementsAre(4, 4));
  EXPECT_THAT(options.ngrams_for(Stack::kDecoder), ElementsAre(3, 3));
  options.pa_type = PhraseType::kHeterogeneous;
  options.pa_ngrams = "31/2";
  EXPECT_THAT(options.ngrams_for(Stack::kEncoder), ElementsAre(1, 3));
  EXPECT_THAT(options.ngrams_for(Stack::kDecoder), ElementsAre(2));
}

TEST(PhrasalAttentionOptions, ReportAllProblemsAtOnce) {
  PhrasalAttentionOptions options;
  options.attn_bias = true;
  options.pa_ngrams = "13";
  options.pa_where = {"enc", "encoder", "enc"};
  options.pa_method = PhraseMethod::kConvKv;
  options.pa_scale = PhraseScale::kWidth;
  EXPECT_THAT(options.problems(),
              UnorderedElementsAre(HasSubstr("--attn-bias"),
                                   HasSubstr("interleaved supports only --pa-ngrams 12"),
                                   HasSubstr("'encoder' is not one of enc, dec, cross"),
                                   HasSubstr("contains 'enc' twice"),
                                   HasSubstr("--pa-scale dh needs --pa-method queryk")));
}

/// 100 zeros and an 8: no heads for 1 to 100 words, and eight for 101.
const std::string kHeadsOfLength101 = std::string(100, '0') + "8";

struct BadNgrams {
  const char* type;
  std::string ngrams;
  const char* message;
};

class BadNgramsOf : public ::testing::TestWithParam<BadNgrams> {};

TEST_P(BadNgramsOf, AreAProblem) {
  PhrasalAttentionOptions options;
  options.pa_type = enum_value(kPhraseTypeNames, GetParam().type).value();
  options.pa_ngrams = GetParam().ngrams;
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    Types,
    BadNgramsOf,
    testing::Values(
        BadNgrams{"homogeneous", "43", "gives 7 heads"},
        BadNgrams{"homogeneous", "4a", "neither a string of digits nor a list of numbers"},
        BadNgrams{"heterogeneous", "121", "contains an n-gram length twice"},
        BadNgrams{"heterogeneous", "01", "contains an n-gram of length 0"},
        BadNgrams{"heterogeneous", "1,2000000000", "2000000000 is out of range"},
        BadNgrams{"heterogeneous", "1,101", "at most 100 words, not 101"},
        BadNgrams{"heterogeneous",
                  "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
                  "at most 16 lengths are supported, not 17"},
        BadNgrams{
            "heterogeneous", "1,99999999999999999999", "99999999999999999999 is out of range"},
        BadNgrams{"homogeneous", "9223372036854775807,1", "9223372036854775807 is out of range"},
        BadNgrams{"homogeneous", kHeadsOfLength101, "at most 100 words, not 101"},
        BadNgrams{"homogeneous", "44/", "neither a string of digits nor a list of numbers"},
        BadNgrams{"homogeneous", "44/44/44", "'44/44/44': expected at most two parts"},
        BadNgrams{"heterogeneous", "12/122", "contains an n-gram length twice"},
        BadNgrams{"interleaved", "123", "interleaved supports only --pa-ngrams 12"},
        BadNgrams{"interleaved", "12/1", "interleaved supports only --pa-ngrams 12"}));

TEST(PhrasalAttentionOptions, RequireASplitThatFitsBothStacksWhenBothArePhrasal) {
  PhrasalAttentionOptions options;
  options.pa_type = PhraseType::kHomogeneous;
  options.pa_ngrams = "44";
  options.decoder_attention_heads = 4;
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr("--decoder-attention-heads is 4")));
  options.pa_where = {"enc"};
  EXPECT_THAT(options.problems(), IsEmpty());
}

TEST(PhrasalAttentionOptions, GiveStacksOfDifferentHeadsTheirOwnSplits) {
  PhrasalAttentionOptions options;
  options.pa_type = PhraseType::kHomogeneous;
  options.decoder_attention_heads = 4;
  options.pa_ngrams = "44/22";
  EXPECT_THAT(options.problems(), IsEmpty());
  EXPECT_THAT(PhraseOptions::of(options, Place::kEncoderSelf).ngrams, ElementsAre(4, 4));
  EXPECT_THAT(PhraseOptions::of(options, Place::kDecoderSelf).ngrams, ElementsAre(2, 2));
  EXPECT_THAT(PhraseOptions::of(options, Place::kCross).ngrams, ElementsAre(2, 2));
  options.pa_ngrams = "22/44";
  EXPECT_THAT(options.problems(),
              ElementsAre(HasSubstr("gives 4 heads, but --encoder-attention-heads is 8"),
                          HasSubstr("gives 8 heads, but --decoder-attention-heads is 4")));
}

TEST(PhrasalAttentionOptions, RequireAPlace) {
  PhrasalAttentionOptions options;
  OptionTable table;
  options.describe(table);
  table.find("pa-where")->from_text("", OptionOrigin::kCommandLine);
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr("--pa-where names no attention")));
}

TEST(PhrasalAttentionOptions, RequireAConvolutionForItsBias) {
  PhrasalAttentionOptions options;
  options.pa_conv_bias = true;
  EXPECT_THAT(options.problems(), IsEmpty());
  options.pa_type = PhraseType::kHomogeneous;
  options.pa_ngrams = "8";
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr("--pa-conv-bias has nothing to add to")));
  options.pa_ngrams = "8/71";
  EXPECT_THAT(options.problems(), IsEmpty());
}

TEST(PhrasalAttentionOptions, AllowAfterOForInterleavedOnly) {
  PhrasalAttentionOptions options;
  options.pa_type = PhraseType::kHeterogeneous;
  options.pa_out = ConvolutionPlace::kAfterOutput;
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr("needs --pa-type interleaved")));
}

/// The options with the preset applied over defaults that are all wrong.
PhrasalAttentionOptions applied(const std::string& name) {
  PhrasalAttentionOptions options;
  nn::use_neutron_conventions(options);
  options.pa_where = {};
  options.pa_out = ConvolutionPlace::kAfterOutput;
  options.pa_scale = PhraseScale::kWidth;
  options.pa_conv_bias = true;
  options.dropout = options.attention_dropout = options.activation_dropout = 0.7;
  for (const Preset& preset : phrasal_attention_presets()) {
    if (preset.name == name) {
      preset.apply(options);
      return options;
    }
  }
  throw UsageError("no preset " + name);
}

int64_t count_of(const PhrasalAttentionOptions& options, int64_t symbols) {
  ArchitectureSetup setup;
  setup.source_vocabulary = setup.target_vocabulary = symbols;
  setup.joined_dictionary = true;
  return testing_support::count_parameters(PhrasalAttentionModel(options, setup));
}

struct PublishedSize {
  const char* preset;
  double body;  ///< millions of parameters without embeddings
};

class PhrasalPreset : public ::testing::TestWithParam<PublishedSize> {};

TEST_P(PhrasalPreset, HasTheParametersOfItsEquations) {
  const int64_t symbols = 100;
  const int64_t body = count_of(applied(GetParam().preset), symbols) - symbols * 512;
  EXPECT_NEAR(static_cast<double>(body) / 1e6, GetParam().body, 0.005);
}

INSTANTIATE_TEST_SUITE_P(Tables1And2,
                         PhrasalPreset,
                         testing::Values(PublishedSize{"phrasal_base", 44.10},
                                         PublishedSize{"phrasal_homogeneous_convkv_44", 48.82},
                                         PublishedSize{"phrasal_homogeneous_queryk_44", 48.82},
                                         PublishedSize{"phrasal_homogeneous_convkv_323", 53.54},
                                         PublishedSize{"phrasal_homogeneous_queryk_323", 53.54},
                                         PublishedSize{"phrasal_heterogeneous_convkv_12", 62.98},
                                         PublishedSize{"phrasal_heterogeneous_queryk_12", 67.70},
                                         PublishedSize{"phrasal_heterogeneous_convkv_123", 91.29},
                                         PublishedSize{"phrasal_heterogeneous_queryk_123", 100.73},
                                         PublishedSize{"phrasal_interleaved_convkv_12", 78.71},
                                         PublishedSize{"phrasal_interleaved_queryk_12", 102.30}),
                         [](const auto& size) { return std::string(size.param.preset); });

TEST(PhrasalPresets, SetEverySwitchWhateverTheOldValue) {
  for (const Preset& preset : phrasal_attention_presets()) {
    const PhrasalAttentionOptions o = applied(preset.name);
    EXPECT_THAT(o.problems(), IsEmpty()) << preset.name;
    EXPECT_THAT(o.pa_where, ElementsAre("enc", "dec", "cross")) << preset.name;
    EXPECT_EQ(o.pa_out, ConvolutionPlace::kReplaceOutput) << preset.name;
    EXPECT_EQ(o.pa_scale, PhraseScale::kWidthTimesLength) << preset.name;
    EXPECT_FALSE(o.pa_conv_bias) << preset.name;
    EXPECT_TRUE(o.encoder_normalize_before && o.decoder_normalize_before) << preset.name;
    EXPECT_EQ(o.pos, nn::PositionKind::kTensor2Tensor) << preset.name;
    EXPECT_EQ(o.init, nn::InitializationStyle::kTensor2Tensor) << preset.name;
    EXPECT_EQ(o.start_token, nn::StartToken::kEos) << preset.name;
    const bool is_tiny = o.encoder_embed_dim == 128;
    EXPECT_EQ(o.dropout, is_tiny ? 0.3 : 0.1) << preset.name;
    EXPECT_EQ(o.attention_dropout, is_tiny ? 0.0 : 0.1) << preset.name;
    EXPECT_EQ(o.activation_dropout, is_tiny ? 0.0 : 0.1) << preset.name;
  }
}

TEST(PhrasalPresets, AreNamedAfterWhatTheyBuild) {
  for (const Preset& preset : phrasal_attention_presets()) {
    const PhrasalAttentionOptions o = applied(preset.name);
    if (preset.name == "phrasal_base" || preset.name == "phrasal_tiny")
      continue;
    EXPECT_THAT(preset.name,
                testing::EndsWith(fmt::format("_{}_{}_{}",
                                              enum_name(kPhraseTypeNames, o.pa_type),
                                              enum_name(kPhraseMethodNames, o.pa_method),
                                              o.pa_ngrams)));
  }
}

}  // namespace
}  // namespace phraseq::phrasal

#include "plugins/architectures/phrase_transformer/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "plugins/architectures/phrase_transformer/presets.h"

namespace phraseq::phrase_transformer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

PhraseTransformerOptions with_grams(std::vector<int64_t> grams) {
  PhraseTransformerOptions options;
  options.pt_grams = std::move(grams);
  return options;
}

std::vector<int64_t> phrased_layers(const std::string& p) {
  PhraseTransformerOptions options;
  options.pt_layers = p;
  std::vector<int64_t> layers;
  for (int64_t layer = 0; layer < options.encoder_layers; ++layer) {
    if (options.phrased(layer))
      layers.push_back(layer);
  }
  return layers;
}

TEST(PhraseTransformerOptions, NameAModelWithoutPhrases) {
  PhraseTransformerOptions options;
  EXPECT_THAT(options.without_effect(), ::testing::IsEmpty());
  options.encoder_layers = 0;
  EXPECT_THAT(options.without_effect(),
              ::testing::ElementsAre(::testing::HasSubstr("it is the plain Transformer")));
}

TEST(PhraseTransformerOptions, PhraseTheFirstOrTheLastLayers) {
  EXPECT_THAT(phrased_layers("all"), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(phrased_layers("0"), IsEmpty());
  EXPECT_THAT(phrased_layers("2"), ElementsAre(0, 1));
  EXPECT_THAT(phrased_layers("-2"), ElementsAre(4, 5));
  EXPECT_THAT(phrased_layers("6"), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(phrased_layers("-7"), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(PhraseTransformerOptions, TakeGramSizesAsASet) {
  EXPECT_THAT(with_grams({3, 0, 2, 3, 0}).gram_sizes(), ElementsAre(2, 3));
  EXPECT_THAT(with_grams({0}).gram_sizes(), IsEmpty());
}

TEST(PhraseTransformerOptions, TreatZeroAsSingleWords) {
  PhraseTransformerOptions options = with_grams({3});
  EXPECT_TRUE(options.keeps_raw());
  options.pt_raw = false;
  EXPECT_FALSE(options.keeps_raw());
  options.pt_grams = {3, 0};
  EXPECT_TRUE(options.keeps_raw());
}

TEST(PhraseTransformerOptions, GiveEachHeadItsSize) {
  PhraseTransformerOptions options = with_grams({3, 0, 2, 3});
  EXPECT_THAT(options.sizes_of_heads(), ElementsAre(3, 0, 2, 3));
  options.pt_head_order = GramHeadOrder::kAscending;
  EXPECT_THAT(options.sizes_of_heads(), ElementsAre(0, 2, 3, 3));
}

TEST(PhraseTransformerOptions, HaveNoProblemsInAnyPreset) {
  for (const Preset& preset : phrase_transformer_presets()) {
    PhraseTransformerOptions options;
    preset.apply(options);
    EXPECT_THAT(options.problems(), IsEmpty()) << preset.name;
  }
}

TEST(PhraseTransformerOptions, AreTheAuthorsCodeByDefaultAndThePapersEquationsByPreset) {
  PhraseTransformerOptions options;
  EXPECT_TRUE(options.pt_raw);
  EXPECT_EQ(options.pt_scale, GramScale::kWord);
  EXPECT_EQ(options.pt_state, GramState::kSum);
  EXPECT_DOUBLE_EQ(options.pt_dropout, 0.3);
  EXPECT_EQ(options.pt_dropout_scope, GramDropoutScope::kWindow);
  for (const Preset& preset : phrase_transformer_presets()) {
    if (preset.name == "phrase_transformer_equations")
      preset.apply(options);
  }
  EXPECT_FALSE(options.pt_raw);
  EXPECT_EQ(options.pt_scale, GramScale::kAll);
  EXPECT_EQ(options.pt_state, GramState::kHidden);
}

struct BadCase {
  const char* name;
  std::vector<std::pair<const char*, const char*>> given;
  const char* generated;
};

class BadPhraseOptions : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadPhraseOptions, AreNamed) {
  PhraseTransformerOptions options;
  OptionTable table;
  options.describe(table);
  for (const auto& [name, value] : GetParam().given)
    table.find(name)->from_text(value, OptionOrigin::kCommandLine);
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr(GetParam().generated)));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    BadPhraseOptions,
    ::testing::Values(BadCase{"LayersAboveTheEncoders",
                              {{"pt-layers", "7"}},
                              "--pt-layers 7 is out of range: expected -6 to 6"},
                      BadCase{
                          "LayersBelowTheEncoders", {{"pt-layers", "-7"}}, "-7 is out of range"},
                      BadCase{"LayersBeyondAllNumbers",
                              {{"pt-layers", "99999999999999999999"}},
                              "neither 'all' nor an integer"},
                      BadCase{"NothingToAttendWith",
                              {{"pt-grams", "3"}, {"pt-grams", ""}, {"pt-raw", "no"}},
                              "there is nothing to attend to"},
                      BadCase{"LayersInWords", {{"pt-layers", "two"}}, "'two' is neither"},
                      BadCase{"LayersWithARest", {{"pt-layers", "2x"}}, "'2x' is neither"},
                      BadCase{"TooFewSizesForHeads", {{"pt-mode", "sep"}}, "has 1 for 4 heads"},
                      BadCase{"TooManySizesForHeads",
                              {{"pt-mode", "sep"}, {"pt-grams", "1,2,3,4,5"}},
                              "has 5 for 4 heads"},
                      BadCase{"RawWithSizesOfHeads",
                              {{"pt-mode", "sep"}, {"pt-grams", "2,3,0,0"}, {"pt-raw", "no"}},
                              "--pt-raw requires --pt-mode cross"},
                      BadCase{"HeadOrderWithoutSizesOfHeads",
                              {{"pt-head-order", "ascending"}},
                              "--pt-head-order requires --pt-mode sep"}),
    [](const auto& bad) { return std::string(bad.param.name); });

TEST(PhraseTransformerOptions, BoundGramSizes) {
  PhraseTransformerOptions options;
  OptionTable table;
  options.describe(table);
  for (const char* value : {"3,-2", "101", "2,2000000000", "99999999999999999999"}) {
    EXPECT_THROW(table.find("pt-grams")->from_text(value, OptionOrigin::kCommandLine), UsageError)
        << value;
  }
  table.find("pt-grams")->from_text("2,100", OptionOrigin::kCommandLine);
  EXPECT_THAT(options.problems(), IsEmpty());
  EXPECT_THAT(with_grams({-2}).problems(), ElementsAre(HasSubstr("-2 is not an n-gram size")));
  EXPECT_THAT(with_grams({2, 101}).problems(), ElementsAre(HasSubstr("101 is not an n-gram size")));
}

TEST(PhraseTransformerOptions, RejectUnknownChoices) {
  PhraseTransformerOptions options;
  OptionTable table;
  options.describe(table);
  for (const char* name :
       {"pt-mode", "pt-scale", "pt-state", "pt-head-order", "pt-dropout-scope"}) {
    EXPECT_THROW(table.find(name)->from_text("other", OptionOrigin::kCommandLine), UsageError);
  }
  EXPECT_THROW(table.find("pt-dropout")->from_text("1", OptionOrigin::kCommandLine), UsageError);
}

}  // namespace
}  // namespace phraseq::phrase_transformer

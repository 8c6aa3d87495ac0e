#include "core/search/decoders/sampling_search.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/search/decoders/greedy_search.h"
#include "core/search/sessions/tempered_session.h"
#include "tests/core/search/toy_session.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing_search::Language;
using testing_search::sentences;
using testing_search::ToySession;

/// The columns are <s> <pad> </s> <unk> A B C; their probabilities are fixed until there are four
/// words.
std::vector<double> probabilities(const std::vector<int64_t>& tokens) {
  if (tokens.size() == 4)
    return {0, 0, 1, 0, 0, 0, 0};
  return {0, 0, 0.1, 0, 0.5, 0.3, 0.1};
}
const Language kLanguage = [](int64_t, const std::vector<int64_t>& tokens) {
  return probabilities(tokens);
};

std::vector<std::vector<Hypothesis>> sample(std::vector<SentenceInput> of,
                                            const SamplingSettings& settings) {
  const auto count = static_cast<int64_t>(of.size());
  SearchInput input(std::move(of), std::make_unique<ToySession>(count, kLanguage));
  return sampling_search(input, {}, settings);
}

const std::vector<RankedColumn> kRanked{{std::log(0.5), 4}, {std::log(0.3), 5}, {std::log(0.2), 6}};

TEST(DrawPlace, DividesTheMassInOrder) {
  EXPECT_EQ(draw_place(kRanked, {}, 0.0), 0u);
  EXPECT_EQ(draw_place(kRanked, {}, 0.49), 0u);
  EXPECT_EQ(draw_place(kRanked, {}, 0.51), 1u);
  EXPECT_EQ(draw_place(kRanked, {}, 0.79), 1u);
  EXPECT_EQ(draw_place(kRanked, {}, 0.81), 2u);
  for (const double shift : {800.0, -800.0}) {  // --unkpen can make all probabilities 0 or infinite
    auto shifted = kRanked;
    for (RankedColumn& column : shifted) column.log_probability += shift;
    EXPECT_EQ(draw_place(shifted, {}, 0.49), 0u);
    EXPECT_EQ(draw_place(shifted, {}, 0.79), 1u);
  }
  EXPECT_EQ(draw_place(kRanked, {}, std::nextafter(1.0, 0.0)), 2u);
}

TEST(DrawPlace, KeepsTheTopKAndSharesTheirMass) {
  SamplingSettings settings;
  settings.top_k = 2;  // 0.5 and 0.3 become 0.625 and 0.375
  EXPECT_EQ(draw_place(kRanked, settings, 0.62), 0u);
  EXPECT_EQ(draw_place(kRanked, settings, 0.63), 1u);
  EXPECT_EQ(draw_place(kRanked, settings, 0.999), 1u);
}

TEST(DrawPlace, KeepsTheSmallestSetThatHasTheTopPMass) {
  SamplingSettings settings;
  settings.top_p = 0.6;  // 0.5 is too little, 0.5 + 0.3 is enough
  EXPECT_EQ(draw_place(kRanked, settings, 0.62), 0u);
  EXPECT_EQ(draw_place(kRanked, settings, 0.63), 1u);
  settings.top_p = 1e-6;  // at least one is kept
  EXPECT_EQ(draw_place(kRanked, settings, 0.999), 0u);
}

/// As in fairseq, the mass is that of the probabilities of the model, even if some tokens are
/// forbidden.
TEST(DrawPlace, CountsTheTopPMassWithoutForbiddenTokens) {
  const std::vector<RankedColumn> half{{std::log(0.3), 4}, {std::log(0.2), 5}};
  SamplingSettings settings;
  settings.top_p = 0.4;  // 0.3 is too little
  EXPECT_EQ(draw_place(half, settings, 0.61), 1u);
}

TEST(DrawPlace, IgnoresTheTopKWithATopP) {
  SamplingSettings settings;
  settings.top_k = 1;
  settings.top_p = 0.6;  // as in fairseq, only this one counts: 0.5 + 0.3
  EXPECT_EQ(draw_place(kRanked, settings, 0.63), 1u);
}

TEST(DrawPlace, TakesATopPOfZeroForNone) {
  SamplingSettings settings;
  settings.top_p = 0;
  EXPECT_EQ(draw_place(kRanked, settings, 0.999), 2u);
  settings.top_k = 2;
  EXPECT_EQ(draw_place(kRanked, settings, 0.999), 1u);
}

TEST(SamplingSearch, LooksAtAllTokensForTheTopP) {
  SamplingSettings settings;
  settings.samples = 400;
  settings.top_k = 1;
  settings.top_p = 0.99;
  const auto found = sample(sentences(1, 9), settings)[0];
  std::map<int64_t, int> first;
  for (const auto& hypothesis : found) ++first[hypothesis.tokens[0]];
  EXPECT_EQ(first.size(), 3u);
}

TEST(SamplingSearch, GivesEachTranslationAtItsProbability) {
  // First words of 4,000 samples: A 5/9, B 3/9, C 1/9 (</s> is forbidden by the minimum length).
  SamplingSettings settings;
  settings.samples = 4000;
  const auto found = sample(sentences(1, 9), settings)[0];
  ASSERT_EQ(found.size(), 4000u);
  std::map<int64_t, int> first;
  for (const auto& hypothesis : found) ++first[hypothesis.tokens[0]];
  // Four standard deviations: sqrt(4000 p (1 - p)) is 31, 30, 20.
  EXPECT_NEAR(first[4], 2222, 126);
  EXPECT_NEAR(first[5], 1333, 119);
  EXPECT_NEAR(first[6], 444, 80);
}

TEST(SamplingSearch, DependsOnlyOnSeedAndSentenceId) {
  SamplingSettings settings;
  settings.samples = 3;
  settings.seed = 17;
  auto of = sentences(4, 9);
  const auto together = sample(of, settings);
  const auto alone = sample({of[2]}, settings);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(alone[0][i].tokens, together[2][i].tokens);

  settings.samples = 40;
  const auto words = [&] {
    std::vector<std::vector<int64_t>> all;
    const auto found = sample({of[2]}, settings);
    for (const auto& hypothesis : found[0]) all.push_back(hypothesis.tokens);
    return all;
  };
  const auto before = words();
  EXPECT_EQ(words(), before);
  settings.seed = 18;
  EXPECT_NE(words(), before);
  settings.seed = 17;
  of[2].id = 99;
  EXPECT_NE(words(), before);
}

TEST(SamplingSearch, OfOnlyTheMostProbableIsGreedySearch) {
  SamplingSettings settings;
  settings.top_k = 1;
  SearchInput input(sentences(2, 9), std::make_unique<ToySession>(2, kLanguage));
  const auto greedy = greedy_search(input, {});
  const auto sampled = sample(sentences(2, 9), settings);
  EXPECT_EQ(sampled[1][0].tokens, greedy[1][0].tokens);
  EXPECT_NEAR(sampled[1][0].score, greedy[1][0].score, 1e-12);
}

TEST(SamplingSearch, ScoresAtTheTemperature) {
  SamplingSettings settings;
  settings.top_k = 1;
  auto session = std::make_unique<ToySession>(1, kLanguage);
  SearchInput input(sentences(1, 9), std::make_unique<TemperedSession>(std::move(session), 0.5));
  // Squares: 0.01, 0.25, 0.09, 0.01 of 0.36.
  const auto best = sampling_search(input, {}, settings)[0][0];
  ASSERT_THAT(best.tokens, ElementsAre(4, 4, 4, 4, kEos));
  EXPECT_NEAR(best.token_scores[0], std::log(0.25 / 0.36), 1e-12);
}

}  // namespace
}  // namespace phraseq

// --match-source-len forces the source's length, as fairseq's LengthConstrainedBeamSearch does.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/search/decoders/beam_search.h"
#include "core/search/decoders/greedy_search.h"
#include "core/search/decoders/sampling_search.h"
#include "tests/core/search/toy_session.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing_search::kA;
using testing_search::kB;
using testing_search::sentences;
using testing_search::ToySession;

/// </s> has 0.6, A 0.3 and B 0.1 after any words.
std::vector<double> brief_language(int64_t, const std::vector<int64_t>&) {
  return {0, 0, 0.6, 0, 0.3, 0.1};
}

SearchOptions matching() {
  SearchOptions options;
  options.constraints.match_source_len = true;
  return options;
}

std::vector<Hypothesis> search_matching(const SearchOptions& options, int64_t words, int64_t beam) {
  SearchInput input(sentences(1, words), std::make_unique<ToySession>(1, brief_language));
  return beam_search(input, options, {beam, beam})[0];
}

TEST(MatchSourceLen, ForcesExactlyTheLengthWithAnEndThatCostsNothing) {
  const auto found = search_matching(matching(), 3, 2);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0].tokens, ElementsAre(kA, kA, kA, kEos));
  EXPECT_EQ(found[0].token_scores[3], 0);
  EXPECT_NEAR(found[0].log_probability, 3 * std::log(0.3), 1e-12);
  EXPECT_NEAR(found[0].score, 3 * std::log(0.3) / 4, 1e-12);
  EXPECT_NEAR(found[1].log_probability, 2 * std::log(0.3) + std::log(0.1), 1e-12);
}

TEST(MatchSourceLen, GivesEveryHypothesisThatLengthAndAFiniteScore) {
  const auto found = search_matching(matching(), 4, 12);
  ASSERT_FALSE(found.empty());
  for (const Hypothesis& hypothesis : found) {
    EXPECT_EQ(hypothesis.tokens.size(), 5u);
    EXPECT_TRUE(std::isfinite(hypothesis.score));
  }
}

TEST(MatchSourceLen, IsStrongerThanMinimumAndMaximumLength) {
  SearchOptions options = matching();
  options.constraints.min_length = 7;
  options.length_cap.b = 2;
  EXPECT_TRUE(options.problems().empty());
  EXPECT_THAT(search_matching(options, 3, 1)[0].tokens, ElementsAre(kA, kA, kA, kEos));
}

TEST(MatchSourceLen, LeavesTheEndOutOfAPrefix) {
  auto given = sentences(1, 3);
  given[0].prefix = {kB, kEos};
  SearchInput input(given, std::make_unique<ToySession>(1, brief_language));
  const auto found = beam_search(input, matching(), {2, 1});
  EXPECT_THAT(found[0][0].tokens, ElementsAre(kB, kA, kA, kEos));
}

TEST(MatchSourceLen, HoldsForGreedySearchAndSampling) {
  SearchInput greedy(sentences(2, 3), std::make_unique<ToySession>(2, brief_language));
  EXPECT_THAT(greedy_search(greedy, matching())[1][0].tokens, ElementsAre(kA, kA, kA, kEos));
  SearchInput drawn(sentences(1, 3), std::make_unique<ToySession>(1, brief_language));
  SamplingSettings settings;
  settings.samples = 5;
  const auto samples = sampling_search(drawn, matching(), settings);
  ASSERT_EQ(samples[0].size(), 5u);
  for (const Hypothesis& hypothesis : samples[0]) EXPECT_EQ(hypothesis.tokens.size(), 4u);
}

TEST(MatchSourceLen, OffersOnlyPhrasesThatFit) {
  const auto language = [](int64_t, const std::vector<int64_t>&) {
    return std::vector<double>{0, 0, 0.1, 0, 0.1, 0, 0.8};
  };
  for (const auto& [phrase, slot] : {std::pair{std::vector<int64_t>{kB, kB}, 0},
                                     std::pair{std::vector<int64_t>{kB, kB, kB, kB}, -1}}) {
    auto session = std::make_unique<ToySession>(1, language);
    session->phrases = {phrase};
    SearchInput input(sentences(1, 3), std::move(session));
    const auto best = beam_search(input, matching(), {2, 1})[0][0];
    EXPECT_EQ(best.tokens.size(), 4u);
    EXPECT_EQ(best.slots[0], slot);
  }
}

}  // namespace
}  // namespace phraseq

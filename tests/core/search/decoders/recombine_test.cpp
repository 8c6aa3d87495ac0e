#include "core/search/decoders/recombine.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/search/decoders/beam_search.h"
#include "tests/core/search/toy_session.h"

// Columns 4 to 6 are the words A, B and C, column 7 a slot.

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing_search::kA;
using testing_search::kB;
using testing_search::kC;
using testing_search::Language;
using testing_search::sentences;
using testing_search::ToySession;

constexpr int64_t kSlot = 7;

/// At first A (0.2), C (0.3), </s> (0.1) or the slot (0.4); then B or </s> with 0.5 each; then
/// </s>.
std::vector<double> slot_language(int64_t, const std::vector<int64_t>& tokens) {
  if (tokens.empty())
    return {0, 0, 0.1, 0, 0.2, 0, 0.3, 0.4};
  if (tokens.size() == 1)
    return {0, 0, 0.5, 0, 0, 0.5, 0, 0};
  return {0, 0, 1, 0, 0, 0, 0, 0};
}

/// At first <unk> (0.1) or one of two slots (0.5, 0.4); then </s>.
std::vector<double> unknown_words(int64_t, const std::vector<int64_t>& tokens) {
  if (tokens.empty())
    return {0, 0, 0, 0.1, 0, 0, 0, 0.5, 0.4};
  return {0, 0, 1, 0, 0, 0, 0, 0, 0};
}

/// The probabilities of the hypotheses if both slots generate <unk>; `strings` has the words of
/// each slot's phrase.
std::vector<double> of_unknown_words(const std::vector<std::vector<int64_t>>& strings) {
  auto session = std::make_unique<ToySession>(1, Language(unknown_words));
  session->phrases = {{kUnk}, {kUnk}};
  auto input_sentences = sentences(1, 9);
  input_sentences[0].phrase_strings = strings;
  SearchInput input(input_sentences, std::move(session));
  const auto found = beam_search(input, SearchOptions(), {4, 4, true});
  std::vector<double> probabilities;
  for (const Hypothesis& hypothesis : found[0])
    probabilities.push_back(std::exp(hypothesis.log_probability));
  return probabilities;
}

struct RecombinedSearch {
  std::vector<Hypothesis> found;
  std::vector<std::vector<int64_t>> choices;
};

RecombinedSearch search_recombined(std::vector<int64_t> phrase, bool recombined) {
  auto session = std::make_unique<ToySession>(1, Language(slot_language));
  session->phrases = {std::move(phrase)};
  const ToySession& log = *session;
  SearchInput input(sentences(1, 9), std::move(session));
  auto found = beam_search(input, SearchOptions(), {4, 4, recombined});
  return {found[0], log.choices_of_step};
}

const Hypothesis* with_tokens(const RecombinedSearch& searched,
                              const std::vector<int64_t>& tokens) {
  for (const Hypothesis& hypothesis : searched.found) {
    if (hypothesis.tokens == tokens)
      return &hypothesis;
  }
  return nullptr;
}

int times_found(const RecombinedSearch& searched, const std::vector<int64_t>& tokens) {
  int times = 0;
  for (const Hypothesis& hypothesis : searched.found) times += hypothesis.tokens == tokens ? 1 : 0;
  return times;
}

TEST(Recombine, AddsTheProbabilitiesOfAWordAndAnEqualPhrase) {
  EXPECT_EQ(times_found(search_recombined({kC}, false), {kC, kEos}), 2);
  const RecombinedSearch joined = search_recombined({kC}, true);
  EXPECT_EQ(times_found(joined, {kC, kEos}), 1);
  const Hypothesis* best = with_tokens(joined, {kC, kEos});
  ASSERT_NE(best, nullptr);
  EXPECT_NEAR(best->log_probability, std::log(0.7 * 0.5), 1e-12);
  EXPECT_NEAR(best->token_scores[0], std::log(0.7), 1e-12);
  EXPECT_NEAR(best->token_scores[1], std::log(0.5), 1e-12);
  EXPECT_THAT(best->slots, ElementsAre(0, -1));
  // The better one of C and the slot is kept.
  EXPECT_THAT(joined.choices[0], ElementsAre(kSlot, kA));
}

TEST(Recombine, WaitsUntilTheQueueIsEmpty) {
  const RecombinedSearch joined = search_recombined({kC, kB}, true);
  // "C" is not recombined with "C, then B".
  EXPECT_THAT(joined.choices[0], ElementsAre(kSlot, kC, kA));
  // The phrase generates "C B" with 0.4; word by word, it has 0.3 · 0.5.
  const Hypothesis* both = with_tokens(joined, {kC, kB, kEos});
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(times_found(joined, {kC, kB, kEos}), 1);
  EXPECT_NEAR(both->log_probability, std::log(0.55), 1e-12);
  EXPECT_NEAR(both->token_scores[0], std::log(0.4), 1e-12);
  EXPECT_NEAR(both->token_scores[1], std::log(0.55 / 0.4), 1e-12);
  EXPECT_THAT(both->slots, ElementsAre(0, 0, -1));
}

TEST(Recombine, KeepsTheStateOfAWordThatIsBetterThanThePhrase) {
  auto session = std::make_unique<ToySession>(1, [](int64_t, const std::vector<int64_t>& tokens) {
    return tokens.empty() ? std::vector<double>{0, 0, 0, 0, 0, 0, 0.6, 0.4}
                          : std::vector<double>{0, 0, 1, 0, 0, 0, 0, 0};
  });
  session->phrases = {{kC}};
  const ToySession& log = *session;
  SearchInput input(sentences(1, 9), std::move(session));
  const auto found = beam_search(input, SearchOptions(), {2, 1, true});
  EXPECT_THAT(log.choices_of_step[0], ElementsAre(kC));
  EXPECT_THAT(found[0][0].slots, ElementsAre(-1, -1));
  EXPECT_NEAR(found[0][0].log_probability, 0, 1e-12);
}

TEST(Recombine, RanksRecombinedHypothesesAgain) {
  auto session = std::make_unique<ToySession>(1, Language(slot_language));
  session->phrases = {{kC}};
  SearchInput input(sentences(1, 9), std::move(session));
  const SearchOptions options;
  SearchState state(input, options);
  state.vocabulary = 7;
  std::vector<Candidate> candidates = {{0, kA, std::log(0.4), std::log(0.4), false},
                                       {0, kC, std::log(0.3), std::log(0.3), false},
                                       {0, kSlot, std::log(0.2), std::log(0.2), false}};
  recombine(state, candidates);
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_EQ(candidates[0].column, kC);
  EXPECT_NEAR(candidates[0].total, std::log(0.5), 1e-12);
  EXPECT_EQ(candidates[1].column, kA);
}

TEST(Recombine, DistinguishesWordsOutsideTheVocabularyByTheirStrings) {
  using testing::DoubleNear;
  const auto near = [](double value) { return DoubleNear(value, 1e-12); };
  EXPECT_THAT(of_unknown_words({{-1}, {-2}}), ElementsAre(near(0.5), near(0.4), near(0.1)));
  EXPECT_THAT(of_unknown_words({{-1}, {-1}}), ElementsAre(near(0.9), near(0.1)));
  EXPECT_THAT(of_unknown_words({{-1}, {kUnk}}), ElementsAre(near(0.5), near(0.5)));
  // Without strings, each of them is distinct.
  EXPECT_THAT(of_unknown_words({}), ElementsAre(near(0.5), near(0.4), near(0.1)));
}

TEST(Recombine, ComparesEarlierWordsOfAPhraseToo) {
  // Two phrases of two words, of which the first is unknown and differs, and the second is the
  // same.
  auto session = std::make_unique<ToySession>(1, [](int64_t, const std::vector<int64_t>& tokens) {
    return tokens.empty() ? std::vector<double>{0, 0, 0, 0, 0, 0, 0, 0.6, 0.4}
                          : std::vector<double>{0, 0, 1, 0, 0, 0, 0, 0, 0};
  });
  session->phrases = {{kUnk, kB}, {kUnk, kB}};
  auto input_sentences = sentences(1, 9);
  input_sentences[0].phrase_strings = {{-1, kB}, {-2, kB}};
  SearchInput input(input_sentences, std::move(session));
  const auto found = beam_search(input, SearchOptions(), {4, 4, true})[0];
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].log_probability, std::log(0.6), 1e-12);
  EXPECT_NEAR(found[1].log_probability, std::log(0.4), 1e-12);
}

/// A beam of one ranks two columns of each row, but lower columns count as well.
TEST(Recombine, SumsAlsoColumnsThatNoRowRanks) {
  auto session = std::make_unique<ToySession>(1, [](int64_t, const std::vector<int64_t>& tokens) {
    return tokens.empty() ? std::vector<double>{0, 0, 0, 0, 0.3, 0.2, 0.1, 0.4}
                          : std::vector<double>{0, 0, 1, 0, 0, 0, 0, 0};
  });
  session->phrases = {{kC}};
  SearchInput input(sentences(1, 9), std::move(session));
  const auto found = beam_search(input, SearchOptions(), {1, 1, true})[0];
  EXPECT_THAT(found[0].tokens, ElementsAre(kC, kEos));
  EXPECT_NEAR(found[0].log_probability, std::log(0.5), 1e-12);
}

TEST(Recombine, SumsColumnsBeyondTheBestOfAnotherRow) {
  // "C B" is a phrase (0.5); word by word, it has 0.4 · 0.1, with B the least probable word after
  // C.
  auto session = std::make_unique<ToySession>(1, [](int64_t, const std::vector<int64_t>& tokens) {
    if (tokens.empty())
      return std::vector<double>{0, 0, 0, 0, 0, 0, 0.4, 0, 0, 0, 0, 0.5};
    if (tokens.size() == 1)
      return std::vector<double>{0, 0, 0.12, 0, 0.13, 0.1, 0.15, 0.16, 0.17, 0.17, 0, 0};
    return std::vector<double>{0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  });
  session->phrases = {{kC, kB}};
  SearchInput input(sentences(1, 9), std::move(session));
  const auto found = beam_search(input, SearchOptions(), {2, 2, true})[0];
  EXPECT_THAT(found[0].tokens, ElementsAre(kC, kB, kEos));
  // The scores of the first step sum to 0.9, those of the second to 1.
  EXPECT_NEAR(found[0].log_probability, std::log((0.5 + 0.4 * 0.1) / 0.9), 1e-12);
}

}  // namespace
}  // namespace phraseq

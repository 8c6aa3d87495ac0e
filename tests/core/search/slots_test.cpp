#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/search/decoders/beam_search.h"
#include "core/search/decoders/greedy_search.h"
#include "tests/core/search/toy_session.h"

// Columns after the vocabulary stand for whole phrases, which are chosen at once and generated word
// by word.

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing_search::kA;
using testing_search::kB;
using testing_search::kC;
using testing_search::Language;
using testing_search::sentences;
using testing_search::ToySession;

constexpr int64_t kVocabulary = 7, kSlot = kVocabulary;

/// At first "A" (0.1) or the phrase (0.8), then </s> after anything.
Language phrase_language(double of_phrase = 0.8) {
  return [of_phrase](int64_t, const std::vector<int64_t>& tokens) {
    if (tokens.empty())
      return std::vector<double>{0, 1 - of_phrase - 0.1, 0, 0, 0.1, 0, 0, of_phrase};
    return std::vector<double>{0, 0.3, 0.5, 0, 0.2, 0, 0, 0};
  };
}

struct Finished {
  std::vector<std::vector<Hypothesis>> found;
  const ToySession* log = nullptr;
  std::unique_ptr<SearchInput> input;  // owns the session
};

Finished run(const Language& language,
             std::vector<std::vector<int64_t>> phrases,
             int64_t max_length,
             const SearchOptions& options,
             int64_t beam) {
  auto session = std::make_unique<ToySession>(1, language);
  session->phrases = std::move(phrases);
  Finished result;
  result.log = session.get();
  result.input = std::make_unique<SearchInput>(sentences(1, max_length), std::move(session));
  result.found = beam == 0 ? greedy_search(*result.input, options)
                           : beam_search(*result.input, options, {beam, beam});
  return result;
}

TEST(Slots, AreGeneratedWordByWordWithoutADecisionAndScoredOnce) {
  const Finished greedy = run(phrase_language(), {{kC, kB, kA}}, 9, {}, 0);
  const Hypothesis& best = greedy.found[0][0];
  EXPECT_THAT(best.tokens, ElementsAre(kC, kB, kA, kEos));
  EXPECT_NEAR(best.token_scores[0], std::log(0.8), 1e-12);
  EXPECT_EQ(best.token_scores[1], 0);
  EXPECT_EQ(best.token_scores[2], 0);
  EXPECT_NEAR(best.log_probability, std::log(0.8 * 0.5), 1e-12);
  EXPECT_NEAR(best.score, std::log(0.8 * 0.5) / 4, 1e-12);  // the length counts every word
  // While a phrase is generated, its words are fed as usual, after the </s> at the beginning.
  EXPECT_THAT(greedy.log->fed, ElementsAre(kEos, kC, kB, kA));
  EXPECT_THAT(greedy.log->choices_of_step,
              ElementsAre(ElementsAre(kSlot), ElementsAre(kB), ElementsAre(kA)));
}

TEST(Slots, CompeteWithWordsInABeam) {
  const Finished beam = run(phrase_language(), {{kC, kB}}, 9, {}, 2);
  ASSERT_EQ(beam.found[0].size(), 2u);
  EXPECT_THAT(beam.found[0][0].tokens, ElementsAre(kC, kB, kEos));
  EXPECT_THAT(beam.found[0][0].slots, ElementsAre(0, 0, -1));
  EXPECT_THAT(beam.found[0][1].tokens, ElementsAre(kA, kEos));
  EXPECT_THAT(beam.found[0][1].slots, ElementsAre(-1, -1));
  EXPECT_NEAR(beam.found[0][1].score, std::log(0.1 * 0.5) / 2, 1e-12);
}

TEST(Slots, AreReportedWithExactlyTheWordsThatTheyGenerated) {
  // A word, both phrases in turn, and the word again.
  const Language language = [](int64_t, const std::vector<int64_t>& tokens) {
    switch (tokens.size()) {
      case 0:
      case 4:
        return std::vector<double>{0, 0, 0, 0, 1, 0, 0, 0, 0};
      case 1:
        return std::vector<double>{0, 0, 0, 0, 0, 0, 0, 0, 1};
      case 2:
        return std::vector<double>{0, 0, 0, 0, 0, 0, 0, 1, 0};
      default:
        return std::vector<double>{0, 0, 1, 0, 0, 0, 0, 0, 0};
    }
  };
  const Finished greedy = run(language, {{kB, kA}, {kC}}, 9, {}, 0);
  EXPECT_THAT(greedy.found[0][0].tokens, ElementsAre(kA, kC, kB, kA, kA, kEos));
  EXPECT_THAT(greedy.found[0][0].slots, ElementsAre(-1, 1, 0, 0, -1, -1));
}

TEST(Slots, OfOneWordNeedNoIdleStep) {
  const Finished greedy = run(phrase_language(), {{kC}}, 9, {}, 0);
  EXPECT_THAT(greedy.found[0][0].tokens, ElementsAre(kC, kEos));
  EXPECT_THAT(greedy.log->fed, ElementsAre(kEos, kC));
}

TEST(Slots, AreNotOfferedWhenEmptyOrTooLong) {
  EXPECT_THAT(run(phrase_language(), {{}}, 9, {}, 0).found[0][0].tokens, ElementsAre(kA, kEos));
  EXPECT_THAT(run(phrase_language(), {{kC, kB, kC}}, 2, {}, 0).found[0][0].tokens,
              ElementsAre(kA, kEos));
  EXPECT_THAT(run(phrase_language(), {{kC, kB, kC}}, 3, {}, 0).found[0][0].tokens,
              ElementsAre(kC, kB, kC, kEos));
}

TEST(Slots, AreNotTouchedByConstraintsOnWords) {
  SearchOptions options;
  options.constraints.unknown_penalty = 50;
  options.constraints.no_repeat_ngram_size = 1;
  const Finished greedy = run(phrase_language(), {{kUnk, kC, kC}}, 9, options, 0);
  EXPECT_THAT(greedy.found[0][0].tokens, ElementsAre(kUnk, kC, kC, kEos));
  EXPECT_NEAR(greedy.found[0][0].log_probability, std::log(0.8 * 0.5), 1e-12);
}

}  // namespace
}  // namespace phraseq

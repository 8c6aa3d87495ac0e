#include "core/data/phrases/example_phrases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text/dictionary.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;

PhraseEntry entry(const std::string& source, const std::string& target) {
  return {phrase_words(source), phrase_words(target), "others", 1, 1, 0};
}

/// The id of a word is its length; long words are unknown.
std::vector<int64_t> lengths(const std::vector<std::string>& words) {
  std::vector<int64_t> ids;
  for (const std::string& word : words)
    ids.push_back(word.size() > 9 ? kUnk : static_cast<int64_t>(word.size()));
  return ids;
}

TEST(ExamplePhrases, HoldPlacesWordsIdsAndSpans) {
  SentencePhrases found;
  found.entries = {entry("big dog", "Bernhardiner dogge"), entry("x", "abcd")};
  found.slots = {{0, {{1, 2, 0}}}, {1, {{0, 1, 1}, {4, 1, 1}}}};
  const auto phrases = example_phrases(found, {{1, 3, 1}}, lengths);
  ASSERT_EQ(phrases.size(), 2U);
  EXPECT_THAT(phrases[0].places, ElementsAre(1, 2));
  EXPECT_THAT(phrases[0].target, ElementsAre(kUnk, 5));
  EXPECT_THAT(phrases[0].target_words, ElementsAre("Bernhardiner", "dogge"));
  EXPECT_THAT(phrases[0].source_words, ElementsAre("big", "dog"));
  EXPECT_EQ(phrases[0].span_begin, -1);
  EXPECT_THAT(phrases[1].places, ElementsAre(0, 4));  // shared by both occurrences
  EXPECT_EQ(phrases[1].span_begin, 3);
  EXPECT_EQ(phrases[1].category, "others");
}

TEST(ExamplePhrases, AreOmittedWhereTheirSentenceIsCut) {
  std::vector<ExamplePhrase> phrases = {{{0, 1}, {4}}, {{1, 5}, {5}}, {{2}, {6}}, {{3}, {7}}};
  cut_phrases(phrases, 3);
  ASSERT_EQ(phrases.size(), 2U);
  EXPECT_THAT(phrases[0].target, ElementsAre(4));
  EXPECT_THAT(phrases[1].target, ElementsAre(6));
}

TEST(ExamplePhrases, KnowWhichOfTheirWordsATokenIs) {
  const std::vector<ExamplePhrase> phrases = {{{0}, {4, 5}}, {{1}, {6}}};
  EXPECT_THAT(phrase_word_places(phrases, {-1, 0, 0, 0, 0, 1, 1, -1, 0, 0}),
              ElementsAre(-1, 0, 1, 0, 1, 0, 0, -1, 0, 1));
  EXPECT_THAT(phrase_word_places(phrases, {}), ElementsAre());
}

}  // namespace
}  // namespace phraseq

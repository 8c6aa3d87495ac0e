#include "core/phrase_memory/phrase_matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PhraseMatcher matcher_of(std::initializer_list<const char*> phrases) {
  std::vector<PhraseEntry> entries;
  for (const char* phrase : phrases) entries.emplace_back().source = phrase_words(phrase);
  return PhraseMatcher(entries);
}

using Found = PhraseOccurrence;

TEST(PhraseMatcher, FindsNestedAndOverlappingPhrasesFromLeftToRight) {
  const auto matcher = matcher_of({"b c", "a b c", "c d", "b", "x"});
  EXPECT_THAT(matcher.find(phrase_words("a b c d")),
              ElementsAre(Found{0, 3, 1}, Found{1, 1, 3}, Found{1, 2, 0}, Found{2, 2, 2}));
}

TEST(PhraseMatcher, FindsEveryRepetitionEvenOfItself) {
  EXPECT_THAT(matcher_of({"a a"}).find(phrase_words("a a a b a a")),
              ElementsAre(Found{0, 2, 0}, Found{1, 2, 0}, Found{4, 2, 0}));
}

TEST(PhraseMatcher, ComparesWholeSurfaceWords) {
  const auto matcher = matcher_of({"新 华社", "New York", "ä"});
  EXPECT_THAT(matcher.find(phrase_words("新 华社 报道")), ElementsAre(Found{0, 2, 0}));
  EXPECT_THAT(matcher.find(phrase_words("新华社")), IsEmpty());
  EXPECT_THAT(matcher.find(phrase_words("new York New Yorker")), IsEmpty());
  EXPECT_THAT(matcher.find(phrase_words("a\xCC\x88 ä")),
              ElementsAre(Found{1, 1, 2}));  // not folded
}

TEST(PhraseMatcher, StepsOverWordsThatNoPhraseHas) {
  EXPECT_THAT(matcher_of({"a b"}).find(phrase_words("zzz a zzz b a b")),
              ElementsAre(Found{4, 2, 0}));
}

TEST(PhraseMatcher, FindsNothingInNothing) {
  EXPECT_THAT(matcher_of({}).find(phrase_words("a b")), IsEmpty());
  EXPECT_THAT(matcher_of({"a"}).find({}), IsEmpty());
  EXPECT_THAT(matcher_of({""}).find(phrase_words("a")), IsEmpty());
}

TEST(PhraseMatcher, KeepsTheFirstOfEqualPhrases) {
  EXPECT_THAT(matcher_of({"b", "a", "a"}).find(phrase_words("a")), ElementsAre(Found{0, 1, 1}));
}

TEST(PhraseMatcher, TakesALongSentence) {
  std::vector<std::string> words(50'000, "a");
  const auto found = matcher_of({"a a a", "b"}).find(words);
  EXPECT_EQ(found.size(), 49'998u);
  EXPECT_EQ(found.back(), (Found{49'997, 3, 0}));
}

}  // namespace
}  // namespace phraseq

#include "core/phrase_memory/span_assignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/phrase_memory/table/phrase_table.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<TargetSpan> assign(std::initializer_list<const char*> phrases, const char* target) {
  std::vector<std::vector<std::string>> slots;
  for (const char* phrase : phrases) slots.push_back(phrase_words(phrase));
  return assign_spans(slots, phrase_words(target));
}

TEST(SpanAssignment, GivesEachSlotItsLeftmostOccurrence) {
  EXPECT_THAT(assign({"c", "a b"}, "a b c a b c"),
              ElementsAre(TargetSpan{1, 0, 2}, TargetSpan{0, 2, 1}));
}

TEST(SpanAssignment, LetsTheLongestChooseFirst) {
  EXPECT_THAT(assign({"b", "a b"}, "a b x b"),
              ElementsAre(TargetSpan{1, 0, 2}, TargetSpan{0, 3, 1}));
  EXPECT_THAT(assign({"b", "a b"}, "a b x"), ElementsAre(TargetSpan{1, 0, 2}));
}

TEST(SpanAssignment, LetsTheLowerOfEquallyLongSlotsChooseFirst) {
  EXPECT_THAT(assign({"b c", "a b"}, "a b c"), ElementsAre(TargetSpan{0, 1, 2}));
  EXPECT_THAT(assign({"a", "a"}, "x a a"), ElementsAre(TargetSpan{0, 1, 1}, TargetSpan{1, 2, 1}));
}

TEST(SpanAssignment, GivesASlotOneSpanOnly) {
  EXPECT_THAT(assign({"a"}, "a a a"), ElementsAre(TargetSpan{0, 0, 1}));
}

TEST(SpanAssignment, RequiresConsecutiveCompleteWords) {
  EXPECT_THAT(assign({"a b", "New"}, "a x b Newer a"), IsEmpty());
  EXPECT_THAT(assign({"a b"}, "a"), IsEmpty());
  EXPECT_THAT(assign({"a"}, ""), IsEmpty());
  EXPECT_THAT(assign({}, "a"), IsEmpty());
}

TEST(SpanAssignment, IgnoresOverlapsOfAPhraseWithItself) {
  EXPECT_THAT(assign({"a a", "a a"}, "a a a"), ElementsAre(TargetSpan{0, 0, 2}));
}

}  // namespace
}  // namespace phraseq

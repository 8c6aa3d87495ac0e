#include "core/phrase_memory/table/word_alignment.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Link = AlignmentLink;

WordAlignment links_of(std::string_view text) {
  return parse_alignment(text, 10, 10, {"alignment", 1});
}

std::string message_of(std::string_view text, int64_t source_words, int64_t target_words) {
  return whole_message_of<DataError>([&] {
    parse_alignment(text, source_words, target_words, {"alignment", 7});
  });
}

TEST(PharaohAlignment, IsReadSortedEachLinkOnce) {
  EXPECT_THAT(links_of("3-1 0-0  3-0 0-0"), ElementsAre(Link{0, 0}, Link{3, 0}, Link{3, 1}));
  EXPECT_THAT(links_of(""), IsEmpty());
}

TEST(PharaohAlignment, IsRejectedWithFileLineAndLink) {
  for (const char* text : {"0", "0-", "-1", "a-b", "0-1-2", "0-1x", "0--1", "0:1"})
    EXPECT_THAT(message_of(text, 9, 9), HasSubstr(std::string("alignment:7: '") + text)) << text;
  EXPECT_EQ(message_of("2-1", 3, 2), kNothingThrown);
  EXPECT_THAT(message_of("0-0 3-1", 3, 2), HasSubstr("3-1 is outside the sentences of 3 and 2"));
  EXPECT_THAT(message_of("2-2", 3, 2), HasSubstr("2-2 is outside"));
}

TEST(Symmetrization, GrowsFromWhatBothDirectionsHave) {
  EXPECT_EQ(symmetrize(links_of("0-0 1-1 2-1"), links_of("0-0 1-1 1-2")),
            links_of("0-0 1-1 1-2 2-1"));
}

TEST(Symmetrization, GrowsDiagonallyAndOnFromWhatWasGrown) {
  EXPECT_EQ(symmetrize(links_of("0-0 1-1 2-2 3-3"), links_of("0-0")), links_of("0-0 1-1 2-2 3-3"));
}

TEST(Symmetrization, GrowsInEveryDiagonalDirection) {
  for (const int64_t source : {-1, 1}) {
    for (const int64_t target : {-1, 1}) {
      // The word of the target already has a link, so only growing adds the second one.
      WordAlignment both = {{5, 5}, {5 + 3 * source, 5 + target}};
      WordAlignment all = both;
      all.push_back({5 + source, 5 + target});
      std::sort(both.begin(), both.end());
      std::sort(all.begin(), all.end());
      EXPECT_EQ(symmetrize(all, both), all) << source << " " << target;
    }
  }
}

TEST(Symmetrization, LeavesALinkBetweenTwoWordsThatHaveOne) {
  EXPECT_EQ(symmetrize(links_of("0-0 1-1 0-1"), links_of("0-0 1-1")), links_of("0-0 1-1"));
}

TEST(Symmetrization, AddsFarLinksOnlyBetweenWordsWithoutAny) {
  // 4-4 is far from 0-0; 4-6 and 0-8 each have a word that already has a link.
  EXPECT_EQ(symmetrize(links_of("0-0 4-4"), links_of("0-0 4-6 0-8")), links_of("0-0 4-4"));
  EXPECT_EQ(symmetrize(links_of("4-4"), links_of("6-1")), links_of("4-4 6-1"));
}

}  // namespace
}  // namespace phraseq

#include "core/text/vocabulary_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using ::testing::HasSubstr;

Dictionary counted_symbols() {
  Dictionary counted;
  counted.add("_a", 5);
  counted.add("_b", 3);
  counted.add("c", 1);
  counted.add("€", 1);
  return counted;
}

/// 3 of the 8 pieces are control symbols; "ab" does not occur, and "€" is not a piece.
const LearnedVocabulary kLearned = {8, {"_a", "_b", "ab", "c", "d"}, -1};

TEST(VocabularyReport, AddsUpToTheNumberOfTypes) {
  const Dictionary counted = counted_symbols();
  Dictionary finished = counted;
  finished.finalize(-1, -1, 5);
  // 8 pieces - 2 unused - 3 control + 1 character + 4 special + 2 padding = 10
  ASSERT_EQ(finished.size(), 10);
  EXPECT_EQ(
      explain_types(kLearned, counted, finished),
      "10 types = 8 pieces of --subwords - 2 that do not occur in the segmented training text "
      "- 3 control symbols of SentencePiece + 1 symbol that is not a piece + 4 special "
      "symbols + 2 for padding");
}

TEST(VocabularyReport, CountsRareTypesAndThoseThatWereCut) {
  const Dictionary counted = counted_symbols();
  LearnedVocabulary learned = kLearned;
  learned.threshold = 3;  // the count of "_b", which is kept
  Dictionary rare = counted;
  rare.finalize(3, -1, 1);
  EXPECT_THAT(explain_types(learned, counted, rare), HasSubstr(" - 2 below the threshold + "));
  Dictionary cut = counted;
  cut.finalize(-1, 5, 1);
  ASSERT_EQ(cut.size(), 5);
  EXPECT_THAT(explain_types(kLearned, counted, cut),
              HasSubstr(" - 3 beyond the maximum number of words + "));
}

TEST(VocabularyReport, IsEmptyWhenTheNumbersAreEqual) {
  const Dictionary counted = counted_symbols();
  Dictionary finished = counted;
  finished.finalize(-1, -1, 1);
  ASSERT_EQ(finished.size(), 8);
  EXPECT_EQ(explain_types(kLearned, counted, finished), "");
}

}  // namespace
}  // namespace phraseq

#include "core/translate/repeated_hypotheses.h"

#include <gtest/gtest.h>

namespace phraseq {
namespace {

TEST(RepeatedHypotheses, AreReportedWithTheMostCommonOne) {
  RepeatedHypotheses hypotheses;
  for (int64_t i = 0; i < 21; ++i)
    hypotheses.note({i, 2}, i % 2 == 0 ? "Ein Mann." : "Satz " + std::to_string(i));
  EXPECT_EQ(hypotheses.finding(),
            "11 of 21 different sentences have the same translation, 'Ein Mann.'");
}

TEST(RepeatedHypotheses, AreNotReportedWhenTheyAreHalfOfAll) {
  RepeatedHypotheses hypotheses;
  for (int64_t i = 0; i < 22; ++i)
    hypotheses.note({i, 2}, i % 2 == 0 ? "Ein Mann." : "Satz " + std::to_string(i));
  EXPECT_EQ(hypotheses.finding(), "");
}

TEST(RepeatedHypotheses, AreNotReportedOfFewSentences) {
  RepeatedHypotheses hypotheses;
  for (int64_t i = 0; i < 19; ++i) hypotheses.note({i, 2}, "");
  EXPECT_EQ(hypotheses.finding(), "");
  hypotheses.note({19, 2}, "");
  EXPECT_EQ(hypotheses.finding(), "20 of 20 different sentences have the same translation, ''");
}

TEST(RepeatedHypotheses, MayBeThoseOfASentenceThatOccursOften) {
  RepeatedHypotheses hypotheses;
  for (int64_t i = 0; i < 100; ++i) hypotheses.note({7, 8, 2}, "gleich");
  for (int64_t i = 0; i < 25; ++i) hypotheses.note({i, 2}, "Satz " + std::to_string(i));
  EXPECT_EQ(hypotheses.finding(), "");
}

TEST(RepeatedHypotheses, DistinguishTheOrderOfWords) {
  RepeatedHypotheses hypotheses;
  for (int64_t i = 0; i < 5; ++i) {
    for (int64_t j = 0; j < 5; ++j) hypotheses.note({i, j, 2}, "x");
  }
  EXPECT_EQ(hypotheses.finding(), "25 of 25 different sentences have the same translation, 'x'");
}

TEST(RepeatedHypotheses, QuoteTheBeginningOfALongTranslation) {
  RepeatedHypotheses hypotheses;
  for (int64_t id = 0; id < 20; ++id) hypotheses.note({id}, std::string(5000, 'x'));
  EXPECT_EQ(hypotheses.finding(),
            "20 of 20 different sentences have the same translation, '" + std::string(200, 'x') +
                "... (5000 bytes)'");
}

}  // namespace
}  // namespace phraseq

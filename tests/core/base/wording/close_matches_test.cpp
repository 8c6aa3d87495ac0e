#include "core/base/wording/close_matches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> kKnown = {
    "transformer", "transformer_big", "phrase_transformer", "lstm", "beam", "dropout"};

TEST(NearMisses, FindsAReplacedAMissingAnExtraAndASwappedLetter) {
  EXPECT_THAT(close_matches("dropaut", kKnown), ElementsAre("dropout"));
  EXPECT_THAT(close_matches("dropou", kKnown), ElementsAre("dropout"));
  EXPECT_THAT(close_matches("droppout", kKnown), ElementsAre("dropout"));
  EXPECT_THAT(close_matches("drpoout", kKnown), ElementsAre("dropout"));
}

TEST(NearMisses, CountsASwapOfNeighborsOnce) {
  // Four letters allow one edit; as two replacements this swap would be too far.
  EXPECT_THAT(close_matches("bema", kKnown), ElementsAre("beam"));
}

TEST(NearMisses, AllowsAnEditForEveryThreeLetters) {
  const std::vector<std::string> known = {"abcdxy", "abcxyz"};
  EXPECT_THAT(close_matches("abcdef", known), ElementsAre("abcdxy"));
}

TEST(NearMisses, TakesABeginningOfThreeLetters) {
  EXPECT_THAT(close_matches("tra", kKnown), ElementsAre("transformer", "transformer_big"));
  EXPECT_THAT(close_matches("ls", kKnown), IsEmpty());
}

TEST(NearMisses, TakesANameThatBeginsACompoundWord) {
  EXPECT_THAT(close_matches("beam-size", kKnown), ElementsAre("beam"));
  EXPECT_THAT(close_matches("beamsearch", kKnown), IsEmpty());
}

TEST(NearMisses, PutsTheShortestOfSeveralContinuationsFirst) {
  const std::vector<std::string> known = {"layerdrop", "layers", "layers-to-keep"};
  EXPECT_THAT(close_matches("layer", known), ElementsAre("layers", "layerdrop", "layers-to-keep"));
}

TEST(NearMisses, PutsTheNearestFirstAndStopsAtThree) {
  const std::vector<std::string> known = {"max-tokenz", "max-tokens", "max-tokkenss", "max-tokans"};
  EXPECT_THAT(close_matches("max-tokenss", known),
              ElementsAre("max-tokens", "max-tokkenss", "max-tokans"));
}

TEST(NearMisses, FindsNothingNearForAnotherWord) {
  EXPECT_THAT(close_matches("phoneme", kKnown), IsEmpty());
  EXPECT_THAT(close_matches("", kKnown), IsEmpty());
}

TEST(NearestNames, AreThreeHoweverFarTheyAre) {
  EXPECT_THAT(nearest_names("bean", kKnown), ElementsAre("beam", "lstm", "dropout"));
  EXPECT_THAT(nearest_names("phoneme", kKnown), ElementsAre("beam", "dropout", "lstm"));
}

TEST(NearestNames, BeginWithThoseThatContainTheWord) {
  const std::vector<std::string> known = {"adam", "chrf", "cross_entropy_with_rdrop"};
  EXPECT_THAT(nearest_names("rdrop", known),
              ElementsAre("cross_entropy_with_rdrop", "adam", "chrf"));
  EXPECT_THAT(nearest_names("dro", known), ElementsAre("adam", "chrf", "cross_entropy_with_rdrop"));
}

TEST(NearestNames, AreAllWhenThereAreFew) {
  const std::vector<std::string> two = {"word", "sentencepiece"};
  EXPECT_THAT(nearest_names("words", two), ElementsAre("word", "sentencepiece"));
  EXPECT_THAT(nearest_names("words", {}), IsEmpty());
}

TEST(NearestText, IsLeftOutIfThereIsAGuess) {
  EXPECT_EQ(nearest_text("phoneme", kKnown), "Nearest names: beam, dropout, lstm. ");
  EXPECT_EQ(nearest_text("dropouts", kKnown), "");
  EXPECT_EQ(nearest_text("dropouts", {}), "");
}

TEST(DidYouMean, IgnoresTheCaseOfLetters) {
  EXPECT_EQ(did_you_mean("DROPOUT", kKnown), "did you mean 'dropout'?");
  const std::vector<std::string> metrics = {"chrF", "ter"};
  EXPECT_EQ(did_you_mean("CHRF", metrics), "did you mean 'chrF'?");
}

TEST(DidYouMean, JoinsTheGuessesIntoAQuestion) {
  EXPECT_EQ(did_you_mean("dropouts", kKnown), "did you mean 'dropout'?");
  EXPECT_EQ(did_you_mean("trans", kKnown), "did you mean 'transformer' or 'transformer_big'?");
  const std::vector<std::string> three = {"abca", "abcb", "abcc"};
  EXPECT_EQ(did_you_mean("abc", three), "did you mean 'abca', 'abcb' or 'abcc'?");
  EXPECT_EQ(did_you_mean("xyz", kKnown), "");
}

}  // namespace
}  // namespace phraseq

// The use of slots by a hypothesis, traced by hand.

#include "plugins/architectures/phrasenet/derivation.h"

#include <gtest/gtest.h>

#include "core/options/enum_name.h"

namespace phraseq::phrasenet {
namespace {

constexpr int64_t kUnknown = 3;

/// Slot 0 generates "5 6 7", slot 1 "8" and slot 2 "9 <unk>"; slot 3 does not exist.
Derivation derivation(const std::string& mask_used, bool reset_on_word_match = false) {
  PhraseNetOptions options;
  options.mask_used = enum_value(kMaskUsedNames, mask_used).value();
  options.reset_on_word_match = reset_on_word_match;
  return {options, {{5, 6, 7}, {8}, {9, kUnknown}, {}}};
}

TEST(Derivation, KnowsWhichSlotsThereAre) {
  const Derivation d = derivation("decode");
  for (const int64_t slot : {0, 1, 2}) EXPECT_TRUE(d.active(slot) && d.available(slot)) << slot;
  EXPECT_FALSE(d.active(3) || d.available(3));
}

TEST(Derivation, KeepsTheTagsOfAPhraseUntilItsLastWordIsGenerated) {
  Derivation d = derivation("no");
  d.choose(0);  // generates 5
  EXPECT_TRUE(d.active(0));
  d.say(6);
  EXPECT_TRUE(d.active(0));
  d.say(7);
  EXPECT_FALSE(d.active(0));
  EXPECT_TRUE(d.active(1) && d.active(2));
}

TEST(Derivation, ForgetsTheTagsOfAPhraseOfOneWordAtOnce) {
  Derivation d = derivation("no");
  d.choose(1);
  EXPECT_FALSE(d.active(1));
}

TEST(Derivation, OffersAUsedSlotAgainUnlessItIsMasked) {
  Derivation d = derivation("no"), masking = derivation("decode");
  for (Derivation* each : {&d, &masking}) each->choose(1);
  EXPECT_TRUE(d.available(1));
  EXPECT_FALSE(masking.available(1));
}

TEST(Derivation, WordsGeneratedOneByOneKeepTags) {
  Derivation d = derivation("decode");
  for (const int64_t word : {5, 6, 7, 8}) d.say(word);
  EXPECT_TRUE(d.active(0) && d.active(1));
}

TEST(Derivation, MatchesWordsOfWordModeWhenAsked) {
  Derivation d = derivation("decode", true);
  for (const int64_t word : {4, 5, 6}) d.say(word);
  EXPECT_TRUE(d.active(0));
  d.say(7);
  EXPECT_FALSE(d.active(0) || d.available(0));
  d.say(9);
  d.say(kUnknown);  // a phrase with an unknown word matches nothing
  EXPECT_TRUE(d.active(2));
}

TEST(Derivation, DoesNotMatchAcrossAPhrase) {
  Derivation d = derivation("no", true);
  d.say(5);
  d.choose(1);
  d.say(6);
  d.say(7);
  EXPECT_TRUE(d.active(0));
}

}  // namespace
}  // namespace phraseq::phrasenet

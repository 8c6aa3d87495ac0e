#include "core/data/phrases/phrase_extras.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/data/collate.h"
#include "core/text/dictionary.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using ::testing::HasSubstr;

/// The first sentence, "a b c d </s>", has two slots: "b c", whose two target words begin at the
/// third place, and "d", whose target word does not occur in the target. The second sentence has no
/// slot. The third has one slot, shared by two occurrences of a word, with a translation outside
/// the vocabulary.
std::vector<Example> examples() {
  Example first{0, {10, 11, 12, 13, kEos}, {20, 21, 22, 23, kEos}, {}};
  first.phrases = {{{1, 2}, {22, 23}}, {{3}, {24}}};
  first.phrases[0].span_begin = 2;
  const Example second{1, {14, kEos}, {25, kEos}, {}};
  Example third{2, {15, 16, 15, kEos}, {kUnk, kEos}, {}};
  third.phrases = {{{0, 2}, {kUnk}}};
  third.phrases[0].span_begin = 0;
  return {first, second, third};
}

Batch batch_of(const std::vector<Example>& of, const SequenceConventions& conventions = {}) {
  Batch batch = collate_pairs(of, conventions);
  add_phrases(of, batch);
  return batch;
}

void expect_extra(const Batch& batch, const char* name, const std::vector<int64_t>& expected) {
  ASSERT_TRUE(batch.host_extras.contains(name)) << name;
  EXPECT_EQ(batch.host_extras.at(name), expected) << name;
}

TEST(PhraseExtras, ListTheWordsThatASlotCoversAndThoseItGenerates) {
  const Batch batch = batch_of(examples());
  expect_extra(batch, kPhraseTags, {-1, 0, 0, 1, -1, -1, -1, 0, -1, 0, -1});
  expect_extra(batch, kPhraseSlotOffsets, {0, 2, 2, 3});
  expect_extra(batch, kPhraseWordOffsets, {0, 2, 3, 4});
  expect_extra(batch, kPhraseWords, {22, 23, 24, kUnk});
}

TEST(PhraseExtras, NumberStringsOutsideTheVocabularyByTheirText) {
  std::vector<Example> of(2);
  of[0] = {0, {10, 11, 12, 13, kEos}, {}, {}};
  of[0].phrases = {{{0}, {kUnk, 22}, {}, {"Oslo", "w"}}, {{1}, {kUnk}, {}, {"Bergen"}}};
  of[1] = {1, {10, 11, 12, kEos}, {}, {}};
  of[1].phrases = {{{0}, {kUnk}, {}, {"Oslo"}}, {{1}, {kUnk}, {}, {"<unk>"}}, {{2}, {kUnk}}};
  expect_extra(batch_of(of), kPhraseStrings, {-1, 22, -2, -1, kUnk, -5});
}

TEST(PhraseExtras, MarkSpansAtTheirFirstTargetWord) {
  const Batch batch = batch_of(examples());
  expect_extra(batch, kPhraseSpanSlot, {-1, -1, 0, -1, -1, -1, -1, 0, -1});
  expect_extra(batch, kPhraseSpanLength, {0, 0, 2, 0, 0, 0, 0, 1, 0});
}

TEST(PhraseExtras, CountPlacesFromTheFirstWordAfterABos) {
  const Batch batch = batch_of(examples(), {.start_with_bos = false, .source_has_bos = true});
  expect_extra(batch, kPhraseTags, {-1, -1, 0, 0, 1, -1, -1, -1, -1, -1, 0, -1, 0, -1});
}

TEST(PhraseExtras, HaveNoSpansWithoutTargets) {
  std::vector<Example> sources = examples();
  for (Example& example : sources) example.target.clear();
  const Batch batch = batch_of(sources);
  EXPECT_FALSE(batch.host_extras.contains(kPhraseSpanSlot));
  EXPECT_FALSE(batch.host_extras.contains(kPhraseSpanLength));
  expect_extra(batch, kPhraseWords, {22, 23, 24, kUnk});
}

TEST(PhraseExtras, AreThereForSentencesWithoutPhrases) {
  const Batch batch = batch_of({examples()[1]});
  expect_extra(batch, kPhraseTags, {-1, -1});
  expect_extra(batch, kPhraseSlotOffsets, {0, 0});
  expect_extra(batch, kPhraseWordOffsets, {0});
  expect_extra(batch, kPhraseWords, {});
  expect_extra(batch, kPhraseSpanSlot, {-1, -1});
}

TEST(PhraseExtras, RejectPlacesOutsideOfTheSentence) {
  const auto rejection_of = [](const std::vector<Example>& of) {
    return message_of<DataError>([&] { batch_of(of); });
  };
  std::vector<Example> of = examples();
  of[2].phrases[0].places = {4};
  EXPECT_THAT(rejection_of(of),
              HasSubstr("sentence 3: phrase 1 covers source word 5, but there are 4"));
  of = examples();
  of[0].phrases[0].span_begin = 4;
  EXPECT_THAT(rejection_of(of),
              HasSubstr("sentence 1: phrase 1 covers target word 6, but there are 5"));
}

}  // namespace
}  // namespace phraseq

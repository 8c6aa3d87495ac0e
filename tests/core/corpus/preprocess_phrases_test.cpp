// phraseq preprocess --phrase-table: the phrases of every sentence, stored next to its ids.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/corpus/data_folder.h"
#include "core/corpus/phrases/stored_phrases.h"
#include "tests/core/corpus/preprocess_case.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PreprocessPhrasesTest : public PreprocessCase {
 protected:
  PreprocessPhrasesTest() {
    write("train",
          "a dog in New York\nnothing here\nYork and dog and York\n",
          "ein Hund in Neu York\nnichts\nYork und York und Dackel\n");
    options.memory.phrase_table = folder.write("table",
                                               "New York ||| Neu York ||| locations ||| 1 ||| 5\n"
                                               "York ||| York ||| locations ||| 1 ||| 6\n"
                                               "dog ||| Hund ||| others ||| 0.98 ||| 7\n");
  }

  std::vector<StoredSlot> slots(int64_t sentence) const {
    return data().phrases("train", "en").get(sentence);
  }
};

TEST_F(PreprocessPhrasesTest, StoresSlotsAndWhereTheTargetHoldsThem) {
  run();
  EXPECT_THAT(slots(0), ElementsAre(StoredSlot{0, 1, {1}}, StoredSlot{1, 3, {3, 4}}));
  EXPECT_THAT(slots(1), IsEmpty());
  EXPECT_THAT(slots(2),
              ElementsAre(StoredSlot{2, 0, {0}}, StoredSlot{0, -1, {2}}, StoredSlot{2, 2, {4}}));
  const StoredPhrases stored = data().phrases("train", "en");
  ASSERT_EQ(stored.entries().size(), 3U);  // in the order of their first use
  EXPECT_THAT(stored.entries()[0].target, ElementsAre("Hund"));
  EXPECT_THAT(stored.entries()[1].source, ElementsAre("New", "York"));
  EXPECT_EQ(stored.entries()[2].category, "locations");
}

TEST_F(PreprocessPhrasesTest, SharesASlotBetweenOccurrencesOnDemand) {
  options.memory.pn_repeat = PhraseRepeat::kShared;
  run();
  EXPECT_THAT(slots(2), ElementsAre(StoredSlot{2, 0, {0, 4}}, StoredSlot{0, -1, {2}}));
}

TEST_F(PreprocessPhrasesTest, ReportsInTheManifestWhatItFoundAndHow) {
  options.memory.pn_slots = 2;
  run();
  const auto manifest = data().manifest();
  const auto record = manifest["splits"]["train"]["en"]["phrases"];
  EXPECT_EQ(record["slots"], 4);
  EXPECT_EQ(record["spans"], 3);
  EXPECT_EQ(record["entries"], 3);
  EXPECT_EQ(manifest["phrase_memory"]["settings"]["pn_slots"], 2);
  const auto memory = data().phrase_memory();
  ASSERT_TRUE(memory.has_value());
  EXPECT_THAT(memory->table, HasSubstr("New York ||| Neu York"));
  EXPECT_EQ(memory->settings.pn_slots, 2);
  EXPECT_TRUE(data().has_phrases("train", "en"));
  EXPECT_FALSE(data().has_phrases("train", "de"));
}

TEST_F(PreprocessPhrasesTest, LowercasesPhrasesWithTheText) {
  run(word_tokenizer(/*lowercase=*/true));
  const StoredPhrases stored = data().phrases("train", "en");
  EXPECT_THAT(stored.entries()[1].target, ElementsAre("neu", "york"));
  EXPECT_EQ(slots(0)[1].span_begin, 3);
  EXPECT_TRUE(data().phrase_memory()->lowercase);
}

TEST_F(PreprocessPhrasesTest, SkipsTheLinesThatTheTextSkips) {
  write("train", "a \x01 dog\nthe dog\n", "ein Hund\nder Hund\n");
  options.on_bad_line = OnBadLine::kSkip;
  run();
  EXPECT_EQ(data().phrases("train", "en").slots().size(), 1);
  EXPECT_THAT(slots(0), ElementsAre(StoredSlot{0, 1, {1}}));
}

TEST_F(PreprocessPhrasesTest, DoesNotDependOnTheWorkers) {
  std::string source, target;
  for (int line = 0; line < 10000; ++line) {
    source += line % 3 == 0 ? "a dog\n" : "in New York\n";
    target += line % 2 == 0 ? "Hund\n" : "in Neu York\n";
  }
  write("train", source, target);
  run();
  const auto alone = data().manifest()["splits"]["train"]["en"]["phrases"];
  options.workers = 3;
  options.overwrite = true;
  run();
  EXPECT_EQ(data().manifest()["splits"]["train"]["en"]["phrases"], alone);
}

TEST_F(PreprocessPhrasesTest, KeepsNothingWithoutATable) {
  options.memory.phrase_table.clear();
  run();
  EXPECT_FALSE(data().has_phrases("train", "en"));
  EXPECT_FALSE(data().phrase_memory().has_value());
}

TEST_F(PreprocessPhrasesTest, RejectsFilesThatAreNotTheManifests) {
  run();
  folder.write("out/train.en-de.en.phrases.txt", "dog ||| Katze ||| others ||| 1 ||| 1\n");
  try {
    data().phrases("train", "en");
    FAIL() << "another list was taken";
  } catch (const FormatError& error) {
    EXPECT_THAT(error.message(), HasSubstr("phrases.txt: CRC-32C"));
  }
}

TEST_F(PreprocessPhrasesTest, RejectsSubwords) {
  options.subwords = 100;
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr("do not use them with subwords")));
}

TEST(StoredSlots, AreNumbersAndSlotsAgain) {
  const std::vector<StoredSlot> slots = {{7, -1, {0}}, {2, 4, {1, 2, 5}}};
  EXPECT_THAT(encode_slots(slots), ElementsAre(7, 0, 1, 0, 2, 5, 3, 1, 2, 5));
  EXPECT_EQ(decode_slots(encode_slots(slots)), slots);
  EXPECT_THAT(decode_slots({}), IsEmpty());
}

TEST(StoredSlots, RejectNumbersThatAreNotSlots) {
  const std::vector<std::vector<int64_t>> broken = {{7, 0},
                                                    {7, 0, 0},
                                                    {7, 0, 2, 1},
                                                    {7, 0, 1, 0, 3},
                                                    {-7, 0, 1, 0},
                                                    {7, -1, 1, 0},
                                                    {7, 0, -1, 0},
                                                    {7, 0, 1, -1},
                                                    {7, 0, 2, 3, 3}};
  for (const auto& numbers : broken)
    EXPECT_THROW(decode_slots(numbers), FormatError) << ::testing::PrintToString(numbers);
}

}  // namespace
}  // namespace phraseq

#include "core/phrase_memory/phrase_memory.h"

#include <cstdlib>
#include <ctime>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/io/line_reader.h"
#include "core/phrase_memory/match_report.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kMemoryTable =
    "New York ||| neu york ||| locations ||| 1 ||| 5\n"
    "York ||| york ||| locations ||| 1 ||| 6\n"
    "dog ||| hund ||| others ||| 0.98 ||| 7\n";

class PhraseMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override { set_log_quiet(true); }

  PhraseMemory memory(PhraseSelectionOptions options = {}, bool lowercase = false) {
    return {PhraseTable::read(folder.write("table", kMemoryTable), lowercase), options, lowercase};
  }
  std::string report(const MatchSettings& settings) {
    std::ostringstream text;
    report_matches(memory(), settings, text);
    return text.str();
  }

  TemporaryFolder folder;
};

TEST_F(PhraseMemoryTest, HoldsTheEntriesOfASentencesSlots) {
  const auto phrases = memory().read(phrase_words("a dog in New York"));
  EXPECT_EQ(phrases.occurrences.size(), 3u);
  ASSERT_EQ(phrases.slots.size(), 2u);
  EXPECT_THAT(phrases.entries[0].target, ElementsAre("hund"));
  EXPECT_THAT(phrases.entries[1].target, ElementsAre("neu", "york"));
}

TEST_F(PhraseMemoryTest, AssignsOnlySlotsThatTheLimitLeft) {
  const auto target = phrase_words("hund neu york");
  const auto source = phrase_words("dog New York");
  EXPECT_THAT(memory().read(source).spans_in(target),
              ElementsAre(TargetSpan{0, 0, 1}, TargetSpan{1, 1, 2}));
  EXPECT_THAT(memory({1}).read(source).spans_in(target), ElementsAre(TargetSpan{0, 1, 2}));
}

TEST_F(PhraseMemoryTest, LowercasesSentencesAsItsTable) {
  const auto lower = memory({}, true);
  EXPECT_THAT(lower.words("NEW\tYork  ÄPFEL"), ElementsAre("new", "york", "äpfel"));
  EXPECT_EQ(lower.read(lower.words("NEW York")).slots.size(), 1u);
  EXPECT_EQ(memory().read(memory().words("NEW York")).slots[0].occurrences[0].begin, 1);
}

TEST_F(PhraseMemoryTest, PutsRulesBeforeTheTableButTheTableBeforeCopiedNames) {
  const auto table = PhraseTable::read(folder.write("table",
                                                    "1,5 ||| x ||| others ||| 1 ||| 5\n"
                                                    "3.5 ||| y ||| others ||| 1 ||| 5\n"
                                                    "George Bush ||| g. bush ||| others ||| 1 "
                                                    "||| 5\n"));
  const PhraseMemory both(table, {}, false, PhraseRules::kEnglishGerman);
  const auto phrases = both.read(phrase_words("a George Bush of 3.5 1,5 John Smith"));
  std::vector<std::string> targets;
  for (const auto& entry : phrases.entries) targets.push_back(phrase_text(entry.target));
  EXPECT_THAT(targets, ElementsAre("g. bush", "3,5", "x", "John Smith"));
}

TEST_F(PhraseMemoryTest, GivesRepeatedRulePhrasesOneNumberAndLowercasesThem) {
  const PhraseMemory shared(
      {}, {10, PhraseOverlap::kGreedy, PhraseRepeat::kShared}, true, PhraseRules::kEnglishGerman);
  const auto phrases = shared.read(shared.words("May 1 and MAY 1 and May 2"));
  ASSERT_EQ(phrases.slots.size(), 2u);
  EXPECT_EQ(phrases.slots[0].occurrences.size(), 2u);
  EXPECT_THAT(phrases.entries[0].target, ElementsAre("1.", "mai"));
}

TEST_F(PhraseMemoryTest, ReportsSlotsForAReader) {
  const auto source = folder.write("source", "a dog in New York\n\ncats\n");
  const auto reference = folder.write("reference", "ein hund in neu york\n\nkatzen\n");
  EXPECT_EQ(report({source, reference, false}),
            "1: a dog in New York\n"
            "  1 [2] dog → hund (others) at 2\n"
            "  2 [4-5] New York → neu york (locations) at 4-5\n"
            "2: \n"
            "3: cats\n"
            "3 sentences, 1 with phrases; 3 occurrences, 2 slots; 3 of 6 source words covered; "
            "2 slots found in the reference\n");
}

TEST_F(PhraseMemoryTest, ReportsSlotsForAProgram) {
  const auto source = folder.write("source", "dog \"x\" York\n");
  const auto reference = folder.write("reference", "york\n");
  EXPECT_EQ(report({source, reference, true}),
            R"({"line":1,"words":["dog","\"x\"","York"],"slots":[)"
            R"({"source":["dog"],"target":["hund"],"category":"others","occurrences":[[0,1]]},)"
            R"({"source":["York"],"target":["york"],"category":"locations",)"
            R"("occurrences":[[2,1]],"span":[0,1]}]})"
            "\n");
}

TEST_F(PhraseMemoryTest, RejectsAReferenceOfAnotherLength) {
  const auto one = folder.write("one", "a\n");
  const auto two = folder.write("two", "a\nb\n");
  const auto rejection_of = [&](const std::string& source, const std::string& reference) {
    return whole_message_of<DataError>([&] { report({source, reference, false}); });
  };
  EXPECT_THAT(rejection_of(two, one), HasSubstr("two:2: "));
  EXPECT_THAT(rejection_of(one, two), HasSubstr("two:2: "));
  EXPECT_THAT(rejection_of(one, two), HasSubstr("one ends before this line"));
}

/// A table of the quarter of a million phrases in a dictionary.
std::vector<PhraseEntry> dictionary(const std::string& data) {
  std::vector<PhraseEntry> entries;
  for (const auto& line : read_lines(data + "/phrases/freedict-multiword.en-de.tsv.gz")) {
    const size_t tab = line.find('\t');
    entries.emplace_back().source = phrase_words(line.substr(0, tab));
    entries.back().target = phrase_words(line.substr(tab + 1));
  }
  return entries;
}

TEST(PhraseMatcherOnRealText, FindsADictionaryInACorpusQuickly) {
  const char* data = std::getenv("PHRASEQ_DATA");
  if (data == nullptr)
    GTEST_SKIP() << "PHRASEQ_DATA is not set";
  const auto entries = dictionary(data);
  const auto sentences = read_lines(std::string(data) + "/multi30k/train.en.gz");
  const std::clock_t begin = std::clock();  // processor time, as the machine may be busy
  const PhraseMatcher matcher(entries);
  int64_t occurrences = 0;
  int64_t wrong = 0;
  for (const auto& sentence : sentences) {
    const auto words = phrase_words(sentence);
    for (const auto& found : matcher.find(words)) {
      ++occurrences;
      const auto& source = entries[static_cast<size_t>(found.phrase)].source;
      wrong += std::equal(source.begin(), source.end(), words.begin() + found.begin) ? 0 : 1;
    }
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_GT(entries.size(), 250'000u);
  EXPECT_GT(occurrences, 10'000);
  EXPECT_EQ(wrong, 0);
  EXPECT_LT(seconds, 20.0);  // about 1 s on an idle machine
}

}  // namespace
}  // namespace phraseq

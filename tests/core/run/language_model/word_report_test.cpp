#include "core/run/language_model/word_report.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/run/language_model/context_window.h"

namespace phraseq {
namespace {

using Ids = std::vector<int64_t>;

/// The ids are a = 4, b@@ = 5 and c = 6.
Dictionary small_dictionary() {
  Dictionary dictionary;
  for (const char* symbol : {"a", "b@@", "c"}) dictionary.add(symbol);
  return dictionary;
}

TEST(WordReport, CountsEachTokenAsAWord) {
  const Dictionary dictionary = small_dictionary();
  WordReport report(dictionary, "");
  const auto words = report.add({4, 5, 6, kEos}, {-1, -2, -4, -1});
  ASSERT_EQ(words.size(), 4u);
  EXPECT_EQ(words[1].text, "b@@");
  EXPECT_EQ(report.words(), 4);
  EXPECT_DOUBLE_EQ(report.loss_base_2(), 2 / std::log(2));
}

TEST(WordReport, JoinsSubwordsAndSumsTheirLogProbabilities) {
  const Dictionary dictionary = small_dictionary();
  WordReport report(dictionary, "@@");
  const auto words = report.add({4, 5, 5, 6, kEos}, {-1, -2, -3, -4, -1});
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(words[1].text, "bbc");
  EXPECT_DOUBLE_EQ(words[1].log_probability, -9);
  EXPECT_EQ(report.words(), 3);
  EXPECT_DOUBLE_EQ(report.log_probability(), -11);
}

TEST(WordReport, CountsASubwordThatEndsABlock) {
  const Dictionary dictionary = small_dictionary();
  WordReport report(dictionary, "@@");
  EXPECT_EQ(report.add({4, 5}, {-1, -2}).size(), 1u);  // only "a" is a whole word
  EXPECT_EQ(report.words(), 2);
  EXPECT_DOUBLE_EQ(report.log_probability(), -3);
}

// As the class WordStat of fairseq_cli/eval_lm.py prints the words.
TEST(WordReport, ListsTheMostFrequentWordsFirst) {
  const Dictionary dictionary = small_dictionary();
  WordReport report(dictionary, "@@");
  report.add({6, 4, 5, 6, 4, kEos}, {-1, -2, -0.5, -4, -8, -16});
  EXPECT_EQ(report.statistics(),
            "a\t2\t-10\tFalse\t-20.5\t2\n"
            "c\t1\t-1\tFalse\t-2\t1\n"
            "bc\t1\t-4.5\tTrue\t-8\t1\n"
            "</s>\t1\t-16\tFalse\t0\t0\n");
}

// As LMContextWindowDataset.collater of fairseq 0.12.2.
TEST(ContextWindow, PutsTheLastInputsBeforeEachBlock) {
  ContextWindow window(2, 5);
  Example first{0, {kEos, 4, 5}, {4, 5, 6}, {}};
  EXPECT_EQ(window.extend(first), 0);
  EXPECT_EQ(first.source, (Ids{kEos, 4, 5}));
  Example second{1, {6, 7, 8}, {7, 8, 9}, {}};
  EXPECT_EQ(window.extend(second), 2);
  EXPECT_EQ(second.source, (Ids{4, 5, 6, 7, 8}));
  EXPECT_EQ(second.target.size(), 5u);
  EXPECT_EQ(second.target.back(), 9);
  Example long_block{2, {9, 9, 9, 9}, {9, 9, 9, 9}, {}};
  EXPECT_EQ(window.extend(long_block), 1);
  EXPECT_EQ(long_block.source, (Ids{8, 9, 9, 9, 9}));
  Example longer{3, {4, 4, 4, 4, 4, 4}, {4, 4, 4, 4, 4, 4}, {}};
  EXPECT_EQ(window.extend(longer), 0);
}

}  // namespace
}  // namespace phraseq

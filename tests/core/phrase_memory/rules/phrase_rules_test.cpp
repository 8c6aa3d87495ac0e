#include "core/phrase_memory/rules/phrase_rules.h"

#include <cstdlib>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/io/line_reader.h"
#include "tests/core/phrase_memory/rules/rule_slots.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> chinese_phrases(const char* sentence) {
  return rule_slots(PhraseRules::kChineseEnglish, sentence);
}
std::vector<std::string> english(const char* sentence) {
  return rule_slots(PhraseRules::kEnglishGerman, sentence);
}

TEST(ChineseEnglishRules, TranslateDatesHoweverTheyAreCut) {
  for (const char* text : {"二〇〇三年三月一日",
                           "二〇〇三年 三月 一日",
                           "二 〇 〇 三 年 三 月 一 日",
                           "2003年 3月 1号",
                           "二零零三年三月一日"}) {
    EXPECT_THAT(chinese_phrases(text), ElementsAre("March 1 , 2003 (dates)")) << text;
  }
  EXPECT_THAT(chinese_phrases("在 十二月 三十一日 和 一九九七年 七月"),
              ElementsAre("December 31 (dates)", "July 1997 (dates)"));
  EXPECT_THAT(chinese_phrases("一九九七年 的"), ElementsAre("1997 (dates)"));
  EXPECT_THAT(chinese_phrases("三月 的"), ElementsAre("March (dates)"));
}

TEST(ChineseEnglishRules, KnowNoDayThatDoesNotExist) {
  EXPECT_THAT(chinese_phrases("十三月"), IsEmpty());
  EXPECT_THAT(chinese_phrases("二月三十日"), IsEmpty());
  EXPECT_THAT(chinese_phrases("三年"), IsEmpty());  // three years
}

TEST(ChineseEnglishRules, TranslateNumbersAndCopyLatinLetters) {
  EXPECT_THAT(chinese_phrases("有 一千七百万 人"), ElementsAre("17 million (numbers)"));
  EXPECT_THAT(chinese_phrases("两亿 兩億"),
              ElementsAre("200 million (numbers)", "200 million (numbers)"));
  EXPECT_THAT(chinese_phrases("1345 个 人"), ElementsAre("1,345 (numbers)"));
  EXPECT_THAT(chinese_phrases("1997 0012 12 十 的 三"), IsEmpty());
  EXPECT_THAT(chinese_phrases("用 Windows XP 吗"), ElementsAre("Windows XP (names)"));
}

TEST(ChineseEnglishRules, SpellNamesNextToATitle) {
  EXPECT_THAT(chinese_phrases("董建华 先生 说"), ElementsAre("Dong Jianhua (names)"));
  EXPECT_THAT(chinese_phrases("董 建 华 先 生 说"), ElementsAre("Dong Jianhua (names)"));
  EXPECT_THAT(chinese_phrases("国家 主席 江泽民 会见"), ElementsAre("Jiang Zemin (names)"));
  EXPECT_THAT(chinese_phrases("单田芳 老师"), IsEmpty()) << "单 is not a frequent surname";
  EXPECT_THAT(chinese_phrases("欧阳修 教授"), ElementsAre("Ouyang Xiu (names)"));
  EXPECT_THAT(chinese_phrases("曾长安 博士"), ElementsAre("Zeng Chang'an (names)"));
}

TEST(ChineseEnglishRules, DoNotMistakeAnythingElseForAName) {
  EXPECT_THAT(chinese_phrases("董建华 说 高兴 的 方法"), IsEmpty());  // no title
  EXPECT_THAT(chinese_phrases("先生 董建华"), IsEmpty());             // a title follows the name
  EXPECT_THAT(chinese_phrases("主席 江 泽 民"), IsEmpty());  // the end of the name is unclear
  EXPECT_THAT(chinese_phrases("王 先生"), IsEmpty());
  EXPECT_THAT(chinese_phrases("一个 小姐"), IsEmpty());
}

TEST(EnglishGermanRules, TranslateDates) {
  for (const char* text :
       {"on March 1 , 2003", "on March 1, 2003", "on march 1st , 2003", "on 1 March 2003"}) {
    EXPECT_THAT(english(text), ElementsAre("1. März 2003 (dates)")) << text;
  }
  EXPECT_THAT(english("in May 1999"), ElementsAre("Mai 1999 (dates)"));
  EXPECT_THAT(english("the 2nd May"), ElementsAre("2. Mai (dates)"));
  EXPECT_THAT(english("may February 30 , 2001 may"), IsEmpty());
  EXPECT_THAT(english("they may 99"), IsEmpty());
}

TEST(EnglishGermanRules, TranslateNumbers) {
  EXPECT_THAT(english("costs 1,345.5 or 17 million , 1 billion , 1.5 trillion or 5"),
              ElementsAre("1.345,5 (numbers)",
                          "17 Millionen (numbers)",
                          "1 Milliarde (numbers)",
                          "1,5 Billionen (numbers)"));
}

TEST(EnglishGermanRules, CopyNamesInsideASentence) {
  EXPECT_THAT(english("The Old man met John Smith ; I left"), ElementsAre("John Smith (names)"));
}

/// The translation by a rule that covers all words of a text; empty if there is none.
std::string whole(PhraseRules rules, const std::string& text) {
  const auto words = phrase_words(text);
  for (const auto& phrase : find_rule_phrases(rules, words)) {
    if (phrase.entry.source.size() == words.size())
      return phrase_text(phrase.entry.target);
  }
  return "";
}

/// Separates the comma of "May 7, 1984" as a word.
std::string comma_apart(std::string text) {
  const size_t comma = text.find(',');
  return comma == std::string::npos ? text : text.insert(comma, " ");
}

TEST(RulesOnRealText, TranslateDatesAndNumbersAsUnicodesTablesDo) {
  const char* data = std::getenv("PHRASEQ_DATA");
  if (data == nullptr)
    GTEST_SKIP() << "PHRASEQ_DATA is not set";
  std::map<std::string, int64_t> checked;
  for (const auto& line : read_lines(std::string(data) + "/phrases/names-dates-numbers.tsv.gz")) {
    std::vector<std::string> cells;  // type en de fr zh vi
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, '\t');) cells.push_back(cell);
    if (cells.size() < 5 || (cells[0] != "date" && cells[0] != "number"))
      continue;
    ++checked[cells[0]];
    if (cells[1] != cells[2]) {  // a plain number is the same in German
      EXPECT_EQ(whole(PhraseRules::kEnglishGerman, cells[1]), cells[2]);
    }
    const std::string from_german = cells[0] == "date"     ? comma_apart(cells[1])
                                    : cells[1] != cells[2] ? cells[1]
                                                           : "";
    EXPECT_EQ(whole(PhraseRules::kGermanEnglish, cells[2]), from_german);
    if (cells[0] == "date") {
      EXPECT_EQ(whole(PhraseRules::kChineseEnglish, cells[4]), comma_apart(cells[1]));
    }
  }
  EXPECT_EQ(checked["date"], 300);
  EXPECT_EQ(checked["number"], 100);
}

}  // namespace
}  // namespace phraseq

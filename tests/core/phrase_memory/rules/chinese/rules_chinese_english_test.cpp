#include "core/phrase_memory/rules/chinese/rules_chinese_english.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/phrase_memory/rules/rule_slots.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> from_chinese(const char* sentence) {
  return rule_slots(PhraseRules::kChineseEnglish, sentence);
}

TEST(ChineseEnglishRules, ReadNumbersWhole) {
  EXPECT_THAT(from_chinese("一 万 亿 元"), ElementsAre("1 trillion (numbers)"));
  EXPECT_THAT(from_chinese("达到 1.77 万 亿 元"), ElementsAre("1.77 trillion (numbers)"));
  EXPECT_THAT(from_chinese("3万 5千 人"), ElementsAre("35,000 (numbers)"));
  EXPECT_THAT(from_chinese("2 万 4801 人"), ElementsAre("24,801 (numbers)"));
  EXPECT_THAT(from_chinese("12.5亿 人"), ElementsAre("1.25 billion (numbers)"));
  EXPECT_THAT(from_chinese("六 亿 三 千 万"), ElementsAre("630 million (numbers)"));
  EXPECT_THAT(from_chinese("三点五亿 美元"), ElementsAre("350 million (numbers)"));
  EXPECT_THAT(from_chinese("百分之 三点五"), ElementsAre("3.5 (numbers)"));
  EXPECT_THAT(from_chinese("三百 日元"), ElementsAre("300 (numbers)"));
  EXPECT_THAT(from_chinese("两亿 三亿"),
              ElementsAre("200 million (numbers)", "300 million (numbers)"));
}

TEST(ChineseEnglishRules, MakeNothingOfPartsOfNumbers) {
  for (const char* text :
       {"三 十 多 万 人", "几 十 万 人",  "数 百 万 人",    "二 十 几 人", "三 百 五",
        "1.5万 3千",      "一亿 五千",    "两 万 三",       "一 亿 五 千", "三 四 百 人",
        "十 七 八 岁",    "五 十 多 岁",  "三 分 之 二 十", "十 六 进 制", "二 十 面 体",
        "第 三 十 章",    "零下 三十 度", "十 四 五 规划",  "12 345 万",   "20千 克",
        "5 千 米",        "三十人",       "十 六 湖 公 园", "六 十 四 卦"}) {
    EXPECT_THAT(from_chinese(text), IsEmpty()) << text;
  }
  EXPECT_THAT(from_chinese("三 十 多 人"), ElementsAre("30 (numbers)"));  // more than 30
}

TEST(ChineseEnglishRules, GroupDigitsOfCountedThingsOnly) {
  EXPECT_THAT(from_chinese("共 12000 平方米"), ElementsAre("12,000 (numbers)"));
  EXPECT_THAT(from_chinese("付 1999 元"), ElementsAre("1,999 (numbers)"));
  for (const char* text : {"书号 9781598036435",
                           "电话 : 13800138000",
                           "电话 62345678",
                           "标准 8601",
                           "编号 4711",
                           "大街 1068 号",
                           "012345 人",
                           "第 1024 页"}) {
    EXPECT_THAT(from_chinese(text), IsEmpty()) << text;
  }
  EXPECT_THAT(from_chinese("ISBN 9781598036435"), ElementsAre("ISBN (names)"));
}

TEST(ChineseEnglishRules, KnowDecadesCenturiesAndSchoolYears) {
  EXPECT_THAT(from_chinese("20 世纪 90 年代"), ElementsAre("1990s (dates)"));
  EXPECT_THAT(from_chinese("二 十 世 纪 六 十 年 代"), ElementsAre("1960s (dates)"));
  EXPECT_THAT(from_chinese("1980 年代"), ElementsAre("1980s (dates)"));
  EXPECT_THAT(from_chinese("二十一 世纪"), ElementsAre("21st century (dates)"));
  for (const char* text : {"九 十 年 代",
                           "80 年代",
                           "六 七 十 年 代",
                           "三 四 五 六 年 级",
                           "一 二 三 四 年 级",
                           "五 年 级",
                           "2000 年 前",
                           "公元前 1000 年"}) {
    EXPECT_THAT(from_chinese(text), IsEmpty()) << text;
  }
}

TEST(ChineseEnglishRules, TranslateTimesOfTheMorning) {
  EXPECT_THAT(from_chinese("上午 八 點 三 十 分"), ElementsAre("8:30 (dates)"));
  EXPECT_THAT(from_chinese("9 时 5 分"), ElementsAre("9:05 (dates)"));
  EXPECT_THAT(from_chinese("三点 一刻"), ElementsAre("3:15 (dates)"));
  EXPECT_THAT(from_chinese("十一 点 了"), ElementsAre("11 (numbers)"));
  EXPECT_THAT(from_chinese("15 点 30 分"), IsEmpty());
  EXPECT_THAT(from_chinese("12 时 20 分 - 2 秒"), IsEmpty());
  EXPECT_THAT(from_chinese("八 点 五 分 多"), IsEmpty());
  EXPECT_THAT(from_chinese("三点 五十"), IsEmpty());
}

TEST(ChineseEnglishRules, LeaveMonthsThatAreNone) {
  for (const char* text :
       {"每 一 月", "一 月 内", "农历 三月", "3 月 32 日", "2003 年 3 月 1 - 5 日", "三个月"})
    EXPECT_THAT(from_chinese(text), IsEmpty()) << text;
  EXPECT_THAT(from_chinese("3 月 1 日 至 5 日"), ElementsAre("March 1 (dates)"));
  EXPECT_THAT(from_chinese("去年 七 月 份"), ElementsAre("July (dates)"));
}

TEST(ChineseEnglishRules, DoNotMistakeOtherWordsForNames) {
  for (const char* text : {"金 钱 不 代 表",
                           "一 位 老 太 太",
                           "汤 姆 的 教 练",
                           "首 位 黑 人 总 统",
                           "那 个 时 代 的 代 表",
                           "颁 授 荣 誉 博 士",
                           "校 董 会 主 席",
                           "成 为 总 统",
                           "海 军 陆 战 队 大 使",
                           "江 朝 晖 女 士",
                           "高 中 老 师",
                           "黄 颜 色 代 表"}) {
    EXPECT_THAT(from_chinese(text), IsEmpty()) << text;
  }
  for (const char* text :
       {"毛 卫 生 部 长", "黎 巴 嫩 总 统", "担 任 南 非 总 统", "石 家 庄 市 长"})
    EXPECT_THAT(from_chinese(text), IsEmpty()) << text;
  EXPECT_THAT(from_chinese("范 明 正 教 授"), ElementsAre("Fan Mingzheng (names)"));
  EXPECT_THAT(from_chinese("王 建 国 先 生"), ElementsAre("Wang Jianguo (names)"));
}

TEST(ChineseEnglishRules, CopyWholeLatinWordsOnly) {
  EXPECT_THAT(from_chinese("打开 ( F ) 文件"), IsEmpty());
  EXPECT_THAT(from_chinese("# PRS _ ORG # 帐户"), IsEmpty());
  EXPECT_THAT(from_chinese("á n Kubi š 说"), IsEmpty());
  EXPECT_THAT(from_chinese("C 语言 和 Python"), ElementsAre("C (names)", "Python (names)"));
}

}  // namespace
}  // namespace phraseq

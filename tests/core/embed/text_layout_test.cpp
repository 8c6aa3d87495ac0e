#include "core/embed/text_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string joined(const TextLayout& layout) {
  std::string text = layout.gaps.at(0);
  for (size_t i = 0; i < layout.sentences.size(); ++i)
    text += layout.sentences[i] + layout.gaps.at(i + 1);
  return text;
}

TEST(TextLayoutOfLines, HasEveryLineThatIsNotEmpty) {
  const TextLayout layout = lay_out_lines("\n one \r\n\n\ntwo\rthree");
  EXPECT_THAT(layout.sentences, ElementsAre(" one ", "two\rthree"));
  EXPECT_THAT(layout.gaps, ElementsAre("\n", "\r\n\n\n", ""));
}

TEST(TextLayoutOfLines, HasNoSentenceForBlanks) {
  const TextLayout layout = lay_out_lines(" \t\none\n  ");
  EXPECT_THAT(layout.sentences, ElementsAre("one"));
  EXPECT_THAT(layout.gaps, ElementsAre(" \t\n", "\n  "));
}

TEST(TextLayoutOfLines, PutsEveryTextTogetherAgain) {
  for (const char* text : {"",
                           "\n",
                           "\r\n",
                           "a",
                           "a\n",
                           "a\r",
                           "\xEF\xBB\xBF"
                           "a\nb",
                           "\na\n\n \nb\r\n\r\n",
                           "a\xE2\x80\xA8"
                           "b"})
    EXPECT_EQ(joined(lay_out_lines(text)), text);
}

TEST(TextLayoutOfLines, HasNoSentenceForABreakAlone) {
  EXPECT_THAT(lay_out_lines("\r\n").sentences, IsEmpty());
  EXPECT_THAT(lay_out_lines("").gaps, ElementsAre(""));
}

TEST(TextLayoutOfSentences, EndsAtSentencesButNotAtAbbreviations) {
  const std::string line = "  Mr. Smith left.  He was tired! Was he?";
  const TextLayout layout = lay_out_sentences(line, "en");
  EXPECT_THAT(layout.sentences, ElementsAre("Mr. Smith left.", "He was tired!", "Was he?"));
  EXPECT_THAT(layout.gaps, ElementsAre("  ", "  ", " ", ""));
  EXPECT_EQ(joined(layout), line);
}

TEST(TextLayoutOfSentences, KnowsOtherScriptsAndUnknownLanguages) {
  EXPECT_THAT(lay_out_sentences("你好。再见。", "zh").sentences, ElementsAre("你好。", "再见。"));
  EXPECT_THAT(lay_out_sentences("One. Two.", "xx-unknown").sentences, ElementsAre("One.", "Two."));
  EXPECT_THAT(lay_out_sentences("😀 Yes. No.", "").sentences, ElementsAre("😀 Yes.", "No."));
}

TEST(TextLayoutOfSentences, IsAppendedToAnother) {
  TextLayout layout = lay_out_lines("x\n");
  append_layout(layout, lay_out_sentences(" A. B. ", "en"));
  append_layout(layout, lay_out_sentences(" ", "en"));
  append_layout(layout, lay_out_lines("\r\ny"));
  EXPECT_THAT(layout.sentences, ElementsAre("x", "A.", "B.", "y"));
  EXPECT_THAT(layout.gaps, ElementsAre("", "\n ", " ", "  \r\n", ""));
  EXPECT_EQ(joined(layout), "x\n A. B.  \r\ny");
}

TEST(TextLayoutOfSentences, DoNotDependOnTheLineBefore) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(lay_out_sentences("Mr. A left. B came.", "en").sentences,
                ElementsAre("Mr. A left.", "B came."));
    EXPECT_THAT(lay_out_sentences("Hallo. Tag.", "de").sentences, ElementsAre("Hallo.", "Tag."));
    EXPECT_THAT(lay_out_sentences("  ", "en").sentences, IsEmpty());
  }
}

TEST(LanguageName, IsEnglishOrTheCode) {
  EXPECT_EQ(language_name("de"), "German");
  EXPECT_EQ(language_name("toy"), "toy");
  EXPECT_EQ(language_name(""), "");
}

}  // namespace
}  // namespace phraseq

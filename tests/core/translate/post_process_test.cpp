#include "core/translate/post_process.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

TEST(PostProcess, JoinsSubwordsAsFairseqDoes) {
  EXPECT_EQ(post_process("ein klei@@ nes Ha@@ us @@", "subword_nmt"), "ein kleines Haus");
  EXPECT_EQ(post_process("\u2581ein \u2581klei nes \u2581Haus .", "sentencepiece"),
            "ein kleines Haus.");
  EXPECT_EQ(post_process("_ein _klei nes", "wordpiece"), "ein kleines");
  EXPECT_EQ(post_process("e i n | H a u s |", "letter"), "ein Haus");
  EXPECT_EQ(post_process("ein_EOW klei nes_EOW", "_EOW"), "ein kleines");
}

TEST(PostProcess, LeavesSymbolsWhenNothingIsAsked) {
  EXPECT_EQ(post_process("klei@@ nes ", ""), "klei@@ nes ");
  EXPECT_EQ(post_process("klei@@ nes ", "none"), "klei@@ nes ");
  EXPECT_EQ(post_process("", "sentencepiece"), "");
}

TEST(PostProcess, NamesWhatItKnows) {
  try {
    post_process("a", "bpe");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(error.hint().find("subword_nmt"), std::string::npos);
  }
}

TEST(PostProcessText, JoinsWhatATokenizerLeftAsItIs) {
  EXPECT_EQ(
      post_process_text("\u2581ein \u2581klei nes", "\u2581ein \u2581klei nes", "sentencepiece"),
      "ein kleines");
  EXPECT_EQ(post_process_text("klei@@ nes", "klei@@ nes", "subword_nmt"), "kleines");
  EXPECT_EQ(post_process_text("klei@@ nes", "klei@@ nes", ""), "klei@@ nes");
}

TEST(PostProcessText, KeepsTheSpacesOfTextThatASubwordModelMade) {
  EXPECT_EQ(post_process_text("ein kleines", "\u2581ein \u2581klei nes", "sentencepiece"),
            "ein kleines");
  EXPECT_EQ(post_process_text("ein klei@@ nes", "\u2581ein \u2581klei@@ \u2581nes", "subword_nmt"),
            "ein kleines");
  EXPECT_EQ(post_process_text("ein kleines", "\u2581ein \u2581klei nes", "letter"), "ein kleines");
}

}  // namespace
}  // namespace phraseq

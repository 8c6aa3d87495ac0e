#include "core/translate/post_process.h"

#include <gtest/gtest.h>

namespace phraseq {
namespace {

TEST(PostProcess, JoinsSubwordsAsFairseqDoes) {
  EXPECT_EQ(post_process("ein klei@@ nes Ha@@ us @@", PostProcess::kSubwordNmt),
            "ein kleines Haus");
  EXPECT_EQ(post_process("\u2581ein \u2581klei nes \u2581Haus .", PostProcess::kSentencePiece),
            "ein kleines Haus.");
  EXPECT_EQ(post_process("_ein _klei nes", PostProcess::kWordPiece), "ein kleines");
  EXPECT_EQ(post_process("e i n | H a u s |", PostProcess::kLetter), "ein Haus");
  EXPECT_EQ(post_process("ein_EOW klei nes_EOW", PostProcess::kEndOfWord), "ein kleines");
}

TEST(PostProcess, LeavesSymbolsWhenNothingIsAsked) {
  EXPECT_EQ(post_process("klei@@ nes ", PostProcess::kNotGiven), "klei@@ nes ");
  EXPECT_EQ(post_process("klei@@ nes ", PostProcess::kNone), "klei@@ nes ");
  EXPECT_EQ(post_process("", PostProcess::kSentencePiece), "");
}

TEST(PostProcessText, JoinsWhatATokenizerLeftAsItIs) {
  EXPECT_EQ(
      post_process_text(
          "\u2581ein \u2581klei nes", "\u2581ein \u2581klei nes", PostProcess::kSentencePiece),
      "ein kleines");
  EXPECT_EQ(post_process_text("klei@@ nes", "klei@@ nes", PostProcess::kSubwordNmt), "kleines");
  EXPECT_EQ(post_process_text("klei@@ nes", "klei@@ nes", PostProcess::kNotGiven), "klei@@ nes");
}

TEST(PostProcessText, KeepsTheSpacesOfTextThatASubwordModelMade) {
  EXPECT_EQ(
      post_process_text("ein kleines", "\u2581ein \u2581klei nes", PostProcess::kSentencePiece),
      "ein kleines");
  EXPECT_EQ(post_process_text(
                "ein klei@@ nes", "\u2581ein \u2581klei@@ \u2581nes", PostProcess::kSubwordNmt),
            "ein kleines");
  EXPECT_EQ(post_process_text("ein kleines", "\u2581ein \u2581klei nes", PostProcess::kLetter),
            "ein kleines");
}

}  // namespace
}  // namespace phraseq

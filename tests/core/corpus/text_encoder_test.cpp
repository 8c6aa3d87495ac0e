#include "core/corpus/text_encoder.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/text/word_tokenizer.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

using testing::ElementsAre;

/// Fails on the word "no".
struct Picky final : Tokenizer {
  std::vector<std::string> encode(std::string_view line) const override {
    if (line == "no")
      throw DataError("the word no");
    return {std::string(line)};
  }
  std::string decode(const std::vector<std::string>&) const override { return {}; }
};

TEST(EncodeLines, NumbersEachSymbolWhenItIsFirstSeen) {
  const EncodedText text = encode_lines({"b a b", "", "c b"}, WordTokenizer());
  EXPECT_THAT(text.symbols, ElementsAre("b", "a", "c"));
  EXPECT_THAT(text.occurrences, ElementsAre(3, 1, 1));
  EXPECT_THAT(text.tokens, ElementsAre(0, 1, 0, 2, 0));
  EXPECT_THAT(text.lengths, ElementsAre(3, 0, 2));
}

TEST(KeptLines, OmitsTheSkippedOnes) {
  const TemporaryFolder folder;
  const CheckedText text{folder.write("x", "a\nb\nc\nd\n"), {}, 4, {2, 4}};
  KeptLines kept(text);
  std::string line;
  ASSERT_TRUE(kept.next(line));
  EXPECT_EQ(line, "a");
  ASSERT_TRUE(kept.next(line));
  EXPECT_EQ(line, "c");
  EXPECT_EQ(kept.line_number(), 3);
  EXPECT_FALSE(kept.next(line));
}

TEST(EncodeText, RejectsAFileThatChangedSinceItWasChecked) {
  const TemporaryFolder folder;
  for (const int64_t checked : {1, 3}) {
    const CheckedText text{folder.write("x", "a\nb\n"), {}, checked, {}};
    EXPECT_THROW(encode_text(text, WordTokenizer(), 1, [](const EncodedText&) {}), DataError);
  }
}

TEST(EncodeText, PassesOnAnErrorFromAnyOfItsThreads) {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 300'000; ++i) lines += "yes\n";  // three chunks
  for (const char* bad_first : {"no\n", ""}) {
    const std::string content = bad_first + lines + "no\n";
    const CheckedText text{
        folder.write("x", content), {}, content.size() > lines.size() + 3 ? 300'002 : 300'001, {}};
    EXPECT_THROW(encode_text(text, Picky(), 4, [](const EncodedText&) {}), DataError);
  }
}

}  // namespace
}  // namespace phraseq

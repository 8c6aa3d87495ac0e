// Byte-pair encoding against subword-nmt: tests/golden/moses/generate.py.

#include "core/text/bpe/bpe_codes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/io/line_reader.h"
#include "core/text/bpe/learn_bpe.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

nlohmann::json golden() {
  return nlohmann::json::parse(
      read_lines(PHRASEQ_SOURCE_FOLDER "/tests/golden/moses/bpe.json.gz").front());
}

std::string segmented(const BpeCodes& codes, const std::string& line) {
  std::string text;
  for (const std::string_view word : split_blanks(line)) {
    for (const std::string& symbol : codes.encode(word)) text += (text.empty() ? "" : " ") + symbol;
  }
  return text;
}

void expect_equal(const BpeCodes& codes, const nlohmann::json& all, const char* expected) {
  for (size_t i = 0; i < all.at("text").size(); ++i)
    ASSERT_EQ(segmented(codes, all["text"][i]), all[expected][i].get<std::string>()) << expected;
}

TEST(BpeCodes, GiveTheSubwordsOfSubwordNmt) {
  const auto all = golden();
  expect_equal(BpeCodes(all.at("codes"), "codes"), all, "segmented");
  expect_equal(BpeCodes(all.at("old_codes"), "codes"), all, "old");
}

TEST(BpeCodes, StayWithinAVocabulary) {
  const auto all = golden();
  BpeCodes restricted(all.at("codes"), "codes");
  restricted.restrict_to(all.at("vocabulary"), all.at("threshold"), "vocabulary");
  expect_equal(restricted, all, "restricted");
  BpeCodes halved(all.at("codes"), "codes");
  halved.restrict_to(all.at("half"), 0, "vocabulary");
  expect_equal(halved, all, "halved");
}

TEST(BpeCodes, IgnoreAByteOrderMark) {
  const auto all = golden();
  const std::string mark = "\xEF\xBB\xBF";
  const std::string text = mark + all.at("codes").get<std::string>();
  expect_equal(BpeCodes(text, "codes"), all, "segmented");
  BpeCodes restricted(text, "codes");
  restricted.restrict_to(
      mark + all.at("vocabulary").get<std::string>(), all.at("threshold"), "vocabulary");
  expect_equal(restricted, all, "restricted");
}

TEST(BpeCodes, NeedASymbolInTheVocabulary) {
  BpeCodes codes("a b\n", "codes");
  for (const std::string vocabulary : {"", "a 1\n"})
    EXPECT_THAT([&] { codes.restrict_to(vocabulary, 2, "words"); },
                testing::ThrowsMessage<FormatError>(
                    HasSubstr("words: no symbol has a count of at least 2")));
}

/// The end-of-word mark is undone once as a merge; undoing what remains of it must end.
TEST(BpeCodes, EndWhereAMergeIsWithinTheEndOfWordMark) {
  for (const std::string merge : {"< /w>", "</ w>", "</w >"}) {
    BpeCodes codes("a b\nab </w>\n" + merge + "\n", "codes");
    codes.restrict_to("other 1", 0, "vocabulary");
    EXPECT_THAT(codes.encode("ab"), ElementsAre("a@@", "b@@", "")) << merge;
  }
}

/// As in subword-nmt 0.3.8.
TEST(BpeCodes, KeepAWordOfOneCharacterThatIsNotInTheVocabulary) {
  BpeCodes codes("a b\nab </w>\ne </w>\n", "codes");
  codes.restrict_to("ab 5\ne@@ 3\na@@ 2\n", 1, "vocabulary");
  EXPECT_THAT(codes.encode("e"), ElementsAre("e"));
}

TEST(BpeCodes, AreLearnedLikeThoseOfSubwordNmt) {
  const auto all = golden();
  WordCounts words;
  for (const std::string line : all.at("text")) {
    for (const std::string_view word : split_blanks(line)) ++words[std::string(word)];
  }
  EXPECT_EQ(bpe_codes_text(learn_bpe(words, 150)), all.at("codes").get<std::string>());
}

TEST(BpeCodes, LeaveMergesOutWhenSampling) {
  const BpeCodes codes("#version: 0.2\na b\nab c</w>\n", "codes");
  EXPECT_THAT(codes.encode("abc"), ElementsAre("abc"));
  EXPECT_EQ(codes.sample("abc", 0, 1), codes.encode("abc"));
  EXPECT_THAT(codes.sample("abc", 1, 1), ElementsAre("a@@", "b@@", "c"));
  int whole = 0;  // with probability 0.5 · 0.5, both merges are made
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    const auto drawn = codes.sample("abc", 0.5, seed);
    EXPECT_EQ(drawn, codes.sample("abc", 0.5, seed));
    whole += drawn.size() == 1 ? 1 : 0;
  }
  EXPECT_NEAR(whole, 1000, 110);  // four standard deviations
}

TEST(BpeCodes, OfFastBpeHaveCounts) {
  const BpeCodes codes("a b 120\nab c</w> 90\n", "codes");
  EXPECT_THAT(codes.encode("abc"), ElementsAre("abc"));
  EXPECT_THAT(codes.encode("abcd"), ElementsAre("ab@@", "c@@", "d"));
}

TEST(BpeCodes, WithFaultsAreRejectedWithTheLine) {
  const auto message = [](const std::string& text) -> std::string {
    return whole_message_of<FormatError>([&] { const BpeCodes codes(text, "my.codes"); });
  };
  EXPECT_THAT(message("#version: 0.2\na b\na b c d\n"), HasSubstr("my.codes:3: 'a b c d'"));
  EXPECT_THAT(message("#version: 0.3\na b\n"), HasSubstr("version 0.3"));
  EXPECT_THAT(message("a\n"), HasSubstr("my.codes:1"));
  BpeCodes codes("a b\n", "codes");
  EXPECT_THROW(codes.restrict_to("a@@ x\n", 0, "vocabulary"), FormatError);
}

}  // namespace
}  // namespace phraseq

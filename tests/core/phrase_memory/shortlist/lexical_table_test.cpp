#include "core/phrase_memory/shortlist/lexical_table.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/io/temporary_folder.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> lines_of(const std::vector<LexicalEntry>& entries) {
  std::vector<std::string> lines;
  for (const LexicalEntry& entry : entries) lines.push_back(lexical_line(entry));
  return lines;
}

/// "a" is linked three times with x and once with y, "b" once each with y and x.
Bitext small_bitext() {
  Bitext bitext;
  for (const char* line : {"a a b", "a b", "a"}) bitext.source.add(line);
  for (const char* line : {"x x y", "y x", "x"}) bitext.target.add(line);
  return bitext;
}

const std::vector<WordAlignment> kLinks = {{{0, 0}, {1, 1}, {2, 2}}, {{0, 0}, {1, 1}}, {{0, 0}}};

TEST(LexicalTable, HasTheRelativeFrequenciesOfLinksSortedBySourceAndProbability) {
  EXPECT_EQ(lines_of(lexical_table(small_bitext(), kLinks)),
            (std::vector<std::string>{
                "x a 0.7500000", "y a 0.2500000", "x b 0.5000000", "y b 0.5000000"}));
}

TEST(LexicalTable, KeepsTheBestOfEachSourceWord) {
  EXPECT_EQ(lines_of(lexical_table(small_bitext(), kLinks, 1)),
            (std::vector<std::string>{"x a 0.7500000", "x b 0.5000000"}));
}

TEST(LexicalTable, OmitsSourceWordsWithoutLinks) {
  EXPECT_EQ(lines_of(lexical_table(small_bitext(), {{{2, 2}}, {}, {}})),
            (std::vector<std::string>{"y b 1.0000000"}));
}

class LexicalTableFile : public ::testing::Test {
 protected:
  std::vector<std::string> read(const std::string& text) const {
    std::ofstream(path_) << text;
    std::vector<std::string> found;
    read_lexical_table(
        path_, [&](std::string_view target, std::string_view source, double probability) {
          found.push_back(lexical_line({std::string(target), std::string(source), probability}));
        });
    return found;
  }
  std::string error_of(const std::string& text) const {
    return whole_message_of<DataError>([&] { read(text); });
  }
  TemporaryFolder folder_;
  std::string path_ = folder_.file("lexical_table_test.s2t");
};

TEST_F(LexicalTableFile, HasTheTargetInFrontAndNullForNoWord) {
  EXPECT_EQ(read("x a 0.75\nNULL a 0.2\ny NULL 0.5\nü\tß\t1e-07\n"),
            (std::vector<std::string>{"x a 0.7500000", "ü ß 0.0000001"}));
}

TEST_F(LexicalTableFile, NamesTheLineOfAnError) {
  EXPECT_THAT(error_of("x a 0.5\nx a\n"),
              ::testing::AllOf(HasSubstr("lexical_table_test.s2t:2"), HasSubstr("2 words")));
  EXPECT_THAT(error_of("x a 1.5\n"), HasSubstr("'1.5' is not a number from 0 to 1"));
  EXPECT_THAT(error_of("x a 0.5x\n"), HasSubstr("'0.5x'"));
  EXPECT_THAT(error_of("x a nan\n"), HasSubstr("'nan'"));
}

}  // namespace
}  // namespace phraseq

#include "core/text/moses/moses_truecaser.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/io/line_reader.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {
namespace {

using ::testing::HasSubstr;

std::string golden_file(const std::string& name) {
  return PHRASEQ_SOURCE_FOLDER "/tests/golden/truecase/" + name;
}

std::string learned_from(const std::vector<std::string>& lines) {
  size_t next = 0;
  return learn_truecase_model([&](std::string& line) {
    if (next == lines.size())
      return false;
    line = lines[next++];
    return true;
  });
}

TEST(MosesTruecaser, LearnsTheModelOfSacremoses) {
  EXPECT_EQ(learned_from(read_lines(golden_file("learn.txt"))),
            read_file(golden_file("model.txt")));
}

TEST(MosesTruecaser, IgnoresAByteOrderMarkInItsModel) {
  const MosesTruecaser truecaser("\xEF\xBB\xBFthe (5/6) The (1)\n", "model", false);
  EXPECT_EQ(truecaser.truecase("a The b"), "a the b");
}

TEST(MosesTruecaser, GivesLinesTheCaseThatSacremosesGives) {
  const std::string model = read_file(golden_file("model.txt"));
  const MosesTruecaser plain(model, "model", false), keeping(model, "model", true);
  int lines = 0;
  for (const std::string& line : read_lines(golden_file("lines.tsv"))) {
    const auto fields = split_text(line, "\t");
    ASSERT_EQ(fields.size(), 4U);
    EXPECT_EQ(plain.truecase(fields[0]), fields[1]) << fields[0];
    EXPECT_EQ(keeping.truecase(fields[0]), fields[2]) << fields[0];
    EXPECT_EQ(detruecase(fields[0]), fields[3]) << fields[0];
    ++lines;
  }
  EXPECT_EQ(lines, 400);
}

TEST(MosesTruecaser, CountsSpellingsWithinSentencesOnly) {
  EXPECT_EQ(learned_from({"The cat saw the NATO . The dog", "( The nato NATO"}),
            "cat (1/1)\nsaw (1/1)\nthe (1/1)\nNATO (2/3) nato (1)\ndog (1/1)\n");
}

/// The format that train-truecaser.perl --possiblyUseFirstToken writes.
TEST(MosesTruecaser, ReadsFractionsOfCounts) {
  const MosesTruecaser truecaser(
      "Berlin (1.1/1.1)\nhouse (0.4/0.6) House (0.2)\nthe (0.1/1.3) The (1.2)\n", "m", false);
  EXPECT_EQ(truecaser.truecase("the House in berlin"), "The house in Berlin");
}

TEST(MosesTruecaser, NamesTheLineOfABrokenModel) {
  for (const char* broken : {"a (1/1)\nthe\n",
                             "a (1/1)\nthe (x/2)\n",
                             "a (1/1)\nthe (1/2) The\n",
                             "a (1/1)\nthe (104",
                             "a (1/1)\nthe (1042/1",
                             "a (1/1)\nthe (1042/)\n",
                             "a (1/1)\nthe (-1/2)\n",
                             "a (1/1)\nthe 12\n"}) {
    EXPECT_THROW(
        try { MosesTruecaser(broken, "cases.txt", false); } catch (const FormatError& problem) {
          EXPECT_THAT(problem.message(), HasSubstr("cases.txt:2"));
          throw;
        },
        FormatError);
  }
}

}  // namespace
}  // namespace phraseq

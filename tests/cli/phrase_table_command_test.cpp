// phraseq phrase-table as a user runs it.

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/file_content.h"
#include "tests/support/shell.h"

namespace phraseq {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::shell;

class PhraseTableCommand : public ::testing::Test {
 protected:
  Outcome run(const std::string& arguments) const {
    const std::string line = "cd " + folder.path() +
                             " && " PHRASEQ_BUILD_FOLDER "/bin/phraseq-phrase-table " + arguments +
                             " 2>&1";
    return shell(line);
  }

  TemporaryFolder folder;
};

TEST_F(PhraseTableCommand, BuildsATableThatCheckAcceptsAndMatchReads) {
  folder.write("s", "das haus\ndas buch\nein buch\nhaus ein\n");
  folder.write("t", "the house\nthe book\na book\nhouse a\n");
  const Outcome built = run("build --source s --target t --output table --min-count 2");
  EXPECT_EQ(built.code, kExitOk) << built.text;
  EXPECT_THAT(built.text, HasSubstr("table: 4 phrases from 4 sentence pairs"));
  EXPECT_EQ(content_of(folder.file("table")),
            "buch ||| book ||| others ||| 1 ||| 2\n"
            "das ||| the ||| others ||| 1 ||| 2\n"
            "ein ||| a ||| others ||| 1 ||| 2\n"
            "haus ||| house ||| others ||| 1 ||| 2\n");
  EXPECT_EQ(run("check table").code, kExitOk);
  const Outcome matched = run("match table -i s --reference t");
  EXPECT_EQ(matched.code, kExitOk);
  EXPECT_THAT(matched.text, HasSubstr("  2 [2] haus → house (others) at 2\n"));
}

TEST_F(PhraseTableCommand, RejectsOptionsThatAnActionDoesNotUse) {
  folder.write("table", "a ||| b ||| others ||| 1 ||| 2\n");
  const std::pair<std::string, std::string> uses[] = {
      {"match table -i s --wrong w", "match does not use --wrong"},
      {"match table -i s --source s", "match does not use --source"},
      {"check table --json", "check does not use --json"},
      {"check table --reference t", "check does not use --reference"},
      {"check table --input t", "check does not use --input"},
      {"match - < table", "standard input (-) can be read only once: give --input FILE"},
      {"build table --source s --target t --output o", "build does not use a phrase table"}};
  for (const auto& [arguments, problem] : uses) {
    const Outcome rejected = run(arguments);
    EXPECT_EQ(rejected.code, kExitUsage) << arguments;
    EXPECT_THAT(rejected.text, HasSubstr(problem)) << arguments;
  }
}

TEST_F(PhraseTableCommand, FindsABadOutputPathBeforeItReadsTheInput) {
  for (const char* arguments :
       {"build --source none --target none --output no/table",
        "rules --pn-rules en-de -i none --reference none --wrong no/wrong"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, kExitIo) << arguments;
    EXPECT_THAT(outcome.text, HasSubstr("no/")) << arguments;
  }
}

TEST_F(PhraseTableCommand, TakesAGivenAlignment) {
  folder.write("s", "a b\n");
  folder.write("t", "x y\n");
  folder.write("links", "0-1 1-0\n");
  const std::string bitext = "build --source s --target t --alignment links --output table ";
  EXPECT_EQ(run(bitext + "--min-count 1").code, kExitOk);
  EXPECT_EQ(content_of(folder.file("table")),
            "a ||| y ||| others ||| 1 ||| 1\n"
            "a b ||| x y ||| others ||| 1 ||| 1\n"
            "b ||| x ||| others ||| 1 ||| 1\n");
  folder.write("links", "0-2\n");
  EXPECT_EQ(run(bitext).code, kExitData);
  // The old one is unchanged.
  EXPECT_THAT(content_of(folder.file("table")), HasSubstr("a b ||| x y"));
}

TEST_F(PhraseTableCommand, CheckEndsWithTheCodeOfBadData) {
  folder.write("table", "a ||| x ||| others ||| 1 ||| 1\na ||| y ||| others ||| 1 ||| 1\n");
  const Outcome outcome = run("check table");
  EXPECT_EQ(outcome.code, kExitData);
  EXPECT_EQ(outcome.text,
            "table:2: conflict: 'a' is 'y' here but 'x' in line 1\ntable: 1 problem\n");
}

TEST_F(PhraseTableCommand, CheckContinuesAfterALineThatIsNotUtf8) {
  const std::string good = "a ||| x ||| others ||| 1 ||| 1\n";
  folder.write(
      "table",
      good + "b\xff ||| x ||| others ||| 1 ||| 1\n" + std::string(1 << 21, 'c') + "\nno entry\n");
  const Outcome outcome = run("check table");
  EXPECT_EQ(outcome.code, kExitData);
  EXPECT_THAT(outcome.text, HasSubstr("table:2: format: the line cannot be read: "));
  EXPECT_THAT(outcome.text,
              HasSubstr("table:3: format: the line cannot be read: line too long\n"
                        "table:4: format: 1 field, expected 5\n"
                        "table: 3 problems\n"));
}

TEST_F(PhraseTableCommand, CheckPrintsTheFirstOfManyProblems) {
  std::string table;
  for (int i = 0; i < 103; ++i) table += "no entry\n";
  folder.write("table", table);
  const Outcome outcome = run("check table");
  EXPECT_EQ(outcome.code, kExitData);
  EXPECT_THAT(outcome.text,
              HasSubstr("table:100: format: 1 field, expected 5\nand 3 more\n"
                        "table: 103 problems\n"));
}

TEST_F(PhraseTableCommand, WritesWhatRulesFindAsATable) {
  folder.write("s", "it costs 1,345.5\non May 1 , 2003 or 1,345.5\n");
  const Outcome outcome = run("rules --pn-rules en-de -i s");
  EXPECT_EQ(outcome.code, kExitOk);
  EXPECT_EQ(outcome.text,
            "1,345.5 ||| 1.345,5 ||| numbers ||| 1 ||| 2\n"
            "May 1 , 2003 ||| 1. Mai 2003 ||| dates ||| 1 ||| 1\n");
  folder.write("table", outcome.text);
  EXPECT_EQ(run("check table").code, kExitOk);
  EXPECT_THAT(run("rules").text, HasSubstr("rules: --pn-rules is missing"));
}

TEST_F(PhraseTableCommand, ReportsThePrecisionOfRules) {
  folder.write("s", "on May 1 , 2003\n17 million\n");
  folder.write("r", "am 1. Mai 2003\n18 Millionen\n");
  const Outcome outcome = run("rules --pn-rules en-de -i s --reference r --json --wrong w");
  EXPECT_EQ(outcome.code, kExitOk);
  EXPECT_THAT(outcome.text,
              HasSubstr(R"("date":{"category":"dates","found":1,"exact":1,"equal":1})"));
  EXPECT_THAT(outcome.text,
              HasSubstr(R"("million":{"category":"numbers","found":1,"exact":0,"equal":0})"));
  EXPECT_THAT(run("rules --pn-rules en-de -i s --ref r").text, HasSubstr("precision"));
  EXPECT_THAT(run("rules --pn-rules en-de -i s --wrong w").text,
              HasSubstr("rules: --wrong needs --reference"));
}

TEST_F(PhraseTableCommand, ReportsWhatIsMissing) {
  const Outcome outcome = run("build --source s");
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_THAT(outcome.text, HasSubstr("build: --target is missing"));
  EXPECT_THAT(outcome.text, HasSubstr("build: --output is missing"));
  EXPECT_THAT(run("match").text, HasSubstr("match: the phrase table is missing"));
  EXPECT_EQ(run("match nowhere").code, kExitIo);
}

}  // namespace
}  // namespace phraseq

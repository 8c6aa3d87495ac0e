#include "core/phrase_memory/table/phrase_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PhraseLine, HoldsTheFiveFields) {
  const auto parsed = parse_phrase_line("三月 一日 ||| march 1 , 2003 ||| dates ||| 0.975 ||| 12");
  EXPECT_THAT(parsed.problems, IsEmpty());
  EXPECT_THAT(parsed.entry.source, ElementsAre("三月", "一日"));
  EXPECT_THAT(parsed.entry.target, ElementsAre("march", "1", ",", "2003"));
  EXPECT_EQ(parsed.entry.category, "dates");
  EXPECT_EQ(parsed.entry.probability, 0.975);
  EXPECT_EQ(parsed.entry.count, 12);
}

TEST(PhraseLine, IsReadBackAsItWasWritten) {
  for (const char* line : {"a ||| b ||| others ||| 1 ||| 1",
                           "a | b ||| c || d ||| names ||| 0.9666666666666667 ||| 30"}) {
    EXPECT_EQ(phrase_line(parse_phrase_line(line).entry), line);
  }
}

/// The problems of a line, joined.
std::string problems_of(const std::string& line) {
  return testing::PrintToString(parse_phrase_line(line).problems);
}

TEST(PhraseLine, ReportsEverythingThatIsWrongWithIt) {
  EXPECT_THAT(problems_of(""), HasSubstr("1 field, expected 5"));
  EXPECT_THAT(problems_of("a\tb"), HasSubstr("1 field, expected 5"));
  EXPECT_THAT(problems_of("a ||| b ||| c ||| 1 ||| 1 ||| 2"), HasSubstr("6 fields, expected 5"));
  EXPECT_THAT(problems_of("a||| b ||| c ||| 1 ||| 1"), HasSubstr("single space before and after"));
  EXPECT_THAT(problems_of(" ||| b ||| c ||| 1 ||| 1"), HasSubstr("the source is empty"));
  EXPECT_THAT(problems_of("a ||| ||| c ||| 1 ||| 1"), HasSubstr("the target is empty"));
  EXPECT_THAT(problems_of("a ||| b ||| ||| 1 ||| 1"),
              HasSubstr("category '' is not a single word"));
  EXPECT_THAT(problems_of("a ||| b ||| c d ||| 1 ||| 1"), HasSubstr("category 'c d' is not"));
  EXPECT_THAT(problems_of("a  x ||| b ||| c ||| 1 ||| 1"), HasSubstr("source contains whitespace"));
  EXPECT_THAT(problems_of("a ||| b\tx ||| c ||| 1 ||| 1"), HasSubstr("target contains whitespace"));
  EXPECT_THAT(problems_of("a\xC2\xA0x ||| b ||| c ||| 1 ||| 1"),
              HasSubstr("source contains whitespace"));
  for (const char* number : {"0", "1.01", "-0.5", "nan", "x", "", "0.5x"}) {
    EXPECT_THAT(problems_of("a ||| b ||| c ||| " + std::string(number) + " ||| 1"),
                HasSubstr("not a number above 0 and at most 1"))
        << number;
  }
  for (const char* number : {"0", "-3", "1.5", "x"}) {
    EXPECT_THAT(problems_of("a ||| b ||| c ||| 1 ||| " + std::string(number)),
                HasSubstr("not a positive integer"))
        << number;
  }
  EXPECT_EQ(parse_phrase_line(" ||| b ||| c d ||| 2 ||| x").problems.size(), 4u);
}

class PhraseTableTest : public ::testing::Test {
 protected:
  void SetUp() override { set_log_quiet(true); }

  std::string message_of(std::string_view text, bool lowercase = false) {
    return whole_message_of<DataError>(
        [&] { PhraseTable::read(folder.write("table", text), lowercase); });
  }

  TemporaryFolder folder;
};

TEST_F(PhraseTableTest, KeepsTheOrderOfTheFile) {
  const auto table = PhraseTable::read(
      folder.write("table", "b c ||| x ||| others ||| 1 ||| 5\na ||| y z ||| names ||| 1 ||| 6\n"));
  ASSERT_EQ(table.entries().size(), 2u);
  EXPECT_THAT(table.entries()[0].source, ElementsAre("b", "c"));
  EXPECT_THAT(table.entries()[1].target, ElementsAre("y", "z"));
  EXPECT_EQ(table.entries()[1].line, 2);
  EXPECT_THAT(PhraseTable::read(folder.write("empty", "")).entries(), IsEmpty());
}

TEST_F(PhraseTableTest, NamesFileAndLineOfABadEntryAndWhatToDo) {
  const std::string message = message_of("a ||| b ||| c ||| 1 ||| 1\nb c\n");
  EXPECT_THAT(message, HasSubstr("table:2: 1 field, expected 5"));
  EXPECT_THAT(message, HasSubstr("source ||| target ||| category ||| probability ||| count"));
}

TEST_F(PhraseTableTest, RejectsASourceThatComesAgainNamingBothLines) {
  const std::string first = "a b ||| x ||| others ||| 1 ||| 1\nc ||| d ||| others ||| 1 ||| 1\n";
  EXPECT_THAT(message_of(first + "a b ||| x ||| others ||| 1 ||| 1\n"),
              HasSubstr("table:3: 'a b' is a duplicate of line 1"));
  EXPECT_THAT(message_of(first + "a b ||| y ||| others ||| 1 ||| 1\n"),
              HasSubstr("table:3: 'a b' is 'y' here but 'x' in line 1"));
}

TEST_F(PhraseTableTest, LowercasesBothSidesAndFindsWhatThatMakesEqual) {
  const std::string text = "ÄPFEL und ||| Apples AND ||| others ||| 1 ||| 1\n";
  const auto table = PhraseTable::read(folder.write("table", text), true);
  EXPECT_THAT(table.entries()[0].source, ElementsAre("äpfel", "und"));
  EXPECT_THAT(table.entries()[0].target, ElementsAre("apples", "and"));
  const std::string both = text + "äpfel und ||| apples and ||| others ||| 1 ||| 1\n";
  EXPECT_EQ(message_of(both), kNothingThrown);
  EXPECT_THAT(message_of(both, true),
              HasSubstr("table:2: 'äpfel und' is a duplicate of line 1, lowercased"));
}

TEST_F(PhraseTableTest, CheckListsEveryProblemWithItsLine) {
  const auto problems = check_phrase_table(folder.write("table",
                                                        "a ||| x ||| others ||| 1 ||| 1\n"
                                                        "no entry\n"
                                                        "a ||| x ||| names ||| 1 ||| 1\n"
                                                        "b ||| y ||| others ||| 2 ||| 0\n"
                                                        "a ||| z ||| others ||| 1 ||| 1\n"));
  std::vector<std::string> seen;
  for (const auto& problem : problems)
    seen.push_back(std::to_string(problem.line) + " " + problem.kind);
  EXPECT_THAT(seen, ElementsAre("2 format", "3 duplicate", "4 format", "4 format", "5 conflict"));
  EXPECT_EQ(problems.back().text, "'a' is 'z' here but 'x' in line 1");
}

TEST_F(PhraseTableTest, CheckFindsNothingInAGoodTable) {
  EXPECT_THAT(check_phrase_table(folder.write("table", "a ||| x ||| others ||| 1 ||| 1\n")),
              IsEmpty());
}

}  // namespace
}  // namespace phraseq

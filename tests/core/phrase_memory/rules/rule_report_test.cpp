#include "core/phrase_memory/rules/rule_report.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

using testing::HasSubstr;

class RuleReportTest : public testing::Test {
 protected:
  RuleReport report(const char* source, const char* reference) {
    return report_rules({PhraseRules::kEnglishGerman,
                         folder.write("source", source),
                         folder.write("reference", reference)},
                        &wrong);
  }

  TemporaryFolder folder;
  std::ostringstream wrong;
};

TEST_F(RuleReportTest, CountsWhatTheReferenceContains) {
  const RuleReport counts = report("on May 1 , 2003\non May 2 , 2003\non May 3 , 2003\n",
                                   "am 1. Mai 2003.\nam 2.5.2003\nam 4. Mai 2003\n");
  const RuleCounts& dates = counts.rules.at("date");
  EXPECT_EQ(dates.category, "dates");
  EXPECT_EQ(dates.found, 3);
  EXPECT_EQ(dates.exact, 1);
  EXPECT_EQ(dates.equal, 2);
  EXPECT_EQ(counts.expressions.at("dates"), 3);
  EXPECT_EQ(wrong.str(), "3\tdate\tMay 3 , 2003\t3. Mai 2003\n");
}

TEST_F(RuleReportTest, CountsTheGenitiveOfAName) {
  const RuleReport counts = report("friends of Tim Allen left\nfriends of Tim Allen left\n",
                                   "Tim Allens Freunde gingen\nTim Allenby ging\n");
  EXPECT_EQ(counts.rules.at("person").exact, 0);
  EXPECT_EQ(counts.rules.at("person").equal, 1);
}

TEST_F(RuleReportTest, ReportsPrecisionAndRecallOfEachRule) {
  const std::string text =
      rule_report_text(report("17 million\n2 million\n", "17 Millionen und 5\n3 Millionen\n"));
  EXPECT_THAT(text, HasSubstr("million              numbers         2       1     0.500"));
  EXPECT_THAT(text, HasSubstr("0.333\n"));  // one of three numbers
}

TEST_F(RuleReportTest, NeedsEquallyManyLines) {
  EXPECT_THROW(report("a\nb\n", "a\n"), DataError);
  EXPECT_THROW(report("a\n", "a\nb\n"), DataError);
}

}  // namespace
}  // namespace phraseq

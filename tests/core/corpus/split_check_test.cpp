#include "core/corpus/split_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr LineReaderOptions kSkip{.on_bad_line = OnBadLine::kSkip};

TEST(SplitCheck, ReportsTheCountAndTheFirstPlaceOfEachDefect) {
  const TemporaryFolder folder;
  const SplitText split{"train",
                        {folder.write("x.de", "a\xFF\nb\nc\xFF\nd\n\xFF\nf\n"),
                         folder.write("x.en", "1\n\n3\x01\n4\n5\n6\n")}};
  const SplitReport report = check_split(split, kSkip, 2);
  EXPECT_EQ(report.lines, 6);
  EXPECT_THAT(report.skipped, ElementsAre(1, 3, 5));
  EXPECT_EQ(report.kept(), 3);
  EXPECT_EQ(report.empty, 1);
  EXPECT_EQ(to_string(report, split),
            "train: read 6 lines, kept 3, skipped 3; 1 kept with an empty side\n"
            "  3 × " +
                split.files[0] +
                ": byte that is never in UTF-8, line 1, 3 …\n"
                "  1 × " +
                split.files[1] + ": control byte, line 3");
}

TEST(SplitCheck, CountsRepairedLinesWithoutSkippingThem) {
  const TemporaryFolder folder;
  const SplitText split{"test", {folder.write("x.de", "a\xFF\n \n")}};
  const SplitReport report = check_split(split, {.on_bad_line = OnBadLine::kReplace});
  EXPECT_EQ(report.kept(), 2);
  EXPECT_EQ(report.empty, 1);
  EXPECT_EQ(report.findings.size(), 1U);
}

TEST(SplitCheck, NamesTheFirstLineWithoutAPartnerEvenAfterTheEnd) {
  const TemporaryFolder folder;
  const SplitText split{"train", {folder.write("x.de", ""), folder.write("x.en", "1\n2\n")}};
  try {
    check_split(split, {});
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("x.de has 0 lines"));
    EXPECT_THAT(error.what(), HasSubstr("line 1 of " + split.files[1] + " has no counterpart"));
  }
}

}  // namespace
}  // namespace phraseq

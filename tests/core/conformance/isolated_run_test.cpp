#include "core/conformance/isolated_run.h"

#include <csignal>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = Verdict::Kind;

TEST(IsolatedRun, ReportsWhatTheCheckFinds) {
  const Verdict holds = run_isolated({"holds", [] { return Findings{}; }});
  EXPECT_EQ(holds.kind, Kind::kHolds);
  EXPECT_THAT(holds.findings, IsEmpty());
  const std::string long_text(200'000, 'x');
  const Verdict fails = run_isolated({"fails", [&] {
                                        return Findings{"größer", "\"two\"\nlines", long_text};
                                      }});
  EXPECT_EQ(fails.kind, Kind::kFails);
  EXPECT_THAT(fails.findings, ElementsAre("größer", "\"two\"\nlines", long_text));
}

TEST(IsolatedRun, ReportsWhatTheCheckThrows) {
  const Verdict not_applicable =
      run_isolated({"none", []() -> Findings { throw NotApplicable("no model"); }});
  EXPECT_EQ(not_applicable.kind, Kind::kDoesNotApply);
  EXPECT_THAT(not_applicable.findings, ElementsAre("no model"));
  EXPECT_THAT(
      run_isolated({"throws", []() -> Findings { throw std::runtime_error("odd"); }}).findings,
      ElementsAre("threw: odd"));
}

TEST(IsolatedRun, ReportsThatTheProcessEnded) {
  const Verdict killed = run_isolated({"dies", []() -> Findings {
                                         std::raise(SIGKILL);
                                         return {};
                                       }});
  EXPECT_EQ(killed.kind, Kind::kFails);
  EXPECT_THAT(killed.findings, ElementsAre(HasSubstr("(signal 9, Killed)")));
  const Verdict left = run_isolated({"leaves", []() -> Findings { ::_exit(3); }});
  EXPECT_EQ(left.kind, Kind::kFails);
  EXPECT_THAT(left.findings, ElementsAre(HasSubstr("(exit code 3)")));
}

TEST(IsolatedRun, LeavesTheMemoryOfTheCallerAsItIs) {
  int value = 1;
  run_isolated({"writes", [&]() -> Findings {
                  value = 2;
                  return {};
                }});
  EXPECT_EQ(value, 1);
}

}  // namespace
}  // namespace phraseq::conformance

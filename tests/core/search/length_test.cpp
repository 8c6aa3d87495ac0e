#include "core/search/length.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/search/search_options.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LengthCap, IsAnIntegerThatDependsOnTheSourceLength) {
  EXPECT_EQ((LengthCap{LengthCapForm::kLinear, 0, 200}.max_length(9, 1024)), 200);
  EXPECT_EQ((LengthCap{LengthCapForm::kLinear, 1.2, 10}.max_length(9, 1024)), 20);  // 10.8 + 10
  EXPECT_EQ((LengthCap{LengthCapForm::kLinear, 1, 99}.max_length(9, 1024)),
            108);  // T + 100 with </s>
}

TEST(LengthCap, StaysBelowTheMaximumLengthOfTheModel) {
  EXPECT_EQ((LengthCap{LengthCapForm::kLinear, 0, 200}.max_length(9, 64)), 63);
  EXPECT_EQ((LengthCap{LengthCapForm::kLinear, 0, 0}.max_length(9, 64)), 0);
}

TEST(LengthCap, NeutronGrowsByAQuarterAndAtLeastBy64) {
  EXPECT_EQ((LengthCap{LengthCapForm::kNeutron, 0, 0}.max_length(10, 1024)), 73);
  EXPECT_EQ((LengthCap{LengthCapForm::kNeutron, 0, 0}.max_length(259, 1024)), 322);
  EXPECT_EQ((LengthCap{LengthCapForm::kNeutron, 0, 0}.max_length(300, 1024)), 374);
}

TEST(LengthPenalty, PowerDividesByThePowerOfTheLength) {
  EXPECT_DOUBLE_EQ((LengthPenalty{LengthPenaltyForm::kPower, 1}.score(-6, 4)), -1.5);
  EXPECT_DOUBLE_EQ((LengthPenalty{LengthPenaltyForm::kPower, 0.5}.score(-6, 4)), -3);
  EXPECT_DOUBLE_EQ((LengthPenalty{LengthPenaltyForm::kPower, 0}.score(-6, 4)), -6);
}

TEST(LengthPenalty, WuAddsFiveToTheLength) {
  EXPECT_DOUBLE_EQ((LengthPenalty{LengthPenaltyForm::kWu, 1}.score(-6, 4)),
                   -4);  // (5 + 4) / 6 = 1.5
  EXPECT_DOUBLE_EQ((LengthPenalty{LengthPenaltyForm::kWu, 2}.score(-9, 4)), -4);  // 1.5² = 2.25
  EXPECT_DOUBLE_EQ((LengthPenalty{LengthPenaltyForm::kWu, 0.6}.score(-6, 1)),
                   -6);  // no penalty for one token
}

TEST(LengthPenalty, NoneLeavesTheLogProbability) {
  EXPECT_DOUBLE_EQ((LengthPenalty{LengthPenaltyForm::kNone, 3}.score(-6, 4)), -6);
}

TEST(SearchOptions, RejectTwoFormsOfTheLengthPenalty) {
  SearchOptions options;
  options.unnormalized = true;
  EXPECT_TRUE(options.problems().empty());
  options.length_penalty.form = LengthPenaltyForm::kWu;
  EXPECT_EQ(options.problems().size(), 1U);
  options.constraints.min_length = 300;  // more than --max-len-b
  EXPECT_EQ(options.problems().size(), 2U);
}

TEST(SearchOptions, RejectLengthsThatHaveNoEffect) {
  SearchOptions options;
  options.unnormalized = true;
  options.length_penalty.alpha = 0.6;
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr("--lenpen")));
  options = {};
  options.length_cap.form = LengthCapForm::kNeutron;
  EXPECT_TRUE(options.problems().empty());
  options.length_cap.b = 10;
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr("--max-len-b")));
}

}  // namespace
}  // namespace phraseq

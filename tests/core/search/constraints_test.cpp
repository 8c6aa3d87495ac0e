#include "core/search/constraints.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/text/dictionary.h"

namespace phraseq {
namespace {

/// The change of a column's score; 0 if it is not edited.
double change_of(const StepConstraint& constraint, int64_t column) {
  for (const ScoreEdit& edit : constraint.edits) {
    if (edit.column == column)
      return edit.change;
  }
  return 0;
}

bool forbids(const StepConstraint& constraint, int64_t column) {
  return std::isinf(change_of(constraint, column)) && change_of(constraint, column) < 0;
}

TEST(StepConstraint, ForbidsPaddingAndAnEndBeforeTheMinimum) {
  const ConstraintSettings settings{2, 0, 0};
  EXPECT_TRUE(forbids(step_constraint(settings, 1, 9, {}), kPad));
  EXPECT_TRUE(forbids(step_constraint(settings, 1, 9, {}), kEos));
  EXPECT_TRUE(forbids(step_constraint(settings, 2, 9, {}), kPad));
  EXPECT_FALSE(forbids(step_constraint(settings, 2, 9, {}), kEos));
}

TEST(StepConstraint, AllowsOnlyTheEndAtTheMaximum) {
  EXPECT_EQ(step_constraint({}, 3, 4, {}).only, -1);
  EXPECT_EQ(step_constraint({}, 3, 3, {}).only, kEos);
  EXPECT_EQ(step_constraint({}, 0, 0, {}).only, kEos);
}

TEST(StepConstraint, ForcesThePrefixButNotBeyondTheMaximum) {
  const std::vector<int64_t> prefix{8, 9};
  EXPECT_EQ(step_constraint({}, 0, 5, prefix).only, 8);
  EXPECT_EQ(step_constraint({}, 1, 5, prefix).only, 9);
  EXPECT_EQ(step_constraint({}, 2, 5, prefix).only, -1);
  EXPECT_EQ(step_constraint({}, 1, 1, prefix).only, kEos);
}

TEST(StepConstraint, ForcesTheSourceLengthWithAnEndThatCostsNothing) {
  ConstraintSettings settings;
  settings.match_source_len = true;
  EXPECT_TRUE(forbids(step_constraint(settings, 3, 4, {}), kEos));
  EXPECT_EQ(step_constraint(settings, 4, 4, {}).only, kEos);
  EXPECT_TRUE(step_constraint(settings, 4, 4, {}).costs_nothing);
  EXPECT_FALSE(step_constraint({}, 4, 4, {}).costs_nothing);
}

TEST(StepConstraint, SubtractsThePenaltyFromUnknowns) {
  EXPECT_EQ(change_of(step_constraint({1, 2.5, 0}, 0, 9, {}), kUnk), -2.5);
  EXPECT_EQ(step_constraint({1, 0, 0}, 0, 9, {}).edits.size(), 2u);  // <pad> and </s>
}

TEST(StepConstraint, SubtractsThePenaltyFromForcedUnknowns) {
  const std::vector<int64_t> prefix{kUnk, 8};
  EXPECT_EQ(step_constraint({1, 2.5, 0}, 0, 9, prefix).only, kUnk);
  EXPECT_EQ(change_of(step_constraint({1, 2.5, 0}, 0, 9, prefix), kUnk), -2.5);
  EXPECT_TRUE(step_constraint({1, 2.5, 0}, 1, 9, prefix).edits.empty());
}

TEST(ForbidRepeats, ForbidsARepeatedUnknownOnce) {
  const std::vector<int64_t> tokens{4, kUnk, 4};
  StepConstraint constraint = step_constraint({0, 2.5, 2}, 3, 9, {});
  forbid_repeats(constraint, tokens, 2);
  EXPECT_TRUE(forbids(constraint, kUnk));
  EXPECT_EQ(constraint.edits.size(), 2u);  // <pad> and <unk>, each once
}

TEST(ForbidRepeats, DoesNotForbidAForcedToken) {
  const std::vector<int64_t> tokens{4, 5, 4}, prefix{4, 5, 4, 5};
  StepConstraint constraint = step_constraint({0, 0, 2}, 3, 9, prefix);
  forbid_repeats(constraint, tokens, 2);
  EXPECT_EQ(constraint.only, 5);
  EXPECT_TRUE(constraint.edits.empty());
}

TEST(RepeatingTokens, AreThoseThatWouldCompleteAKnownNGram) {
  const std::vector<int64_t> tokens{5, 6, 7, 5, 6, 8, 5, 6};
  EXPECT_EQ(repeating_tokens(tokens, 3), (std::vector<int64_t>{7, 8}));
  EXPECT_EQ(repeating_tokens(tokens, 2), (std::vector<int64_t>{7, 8}));
  EXPECT_EQ(repeating_tokens(tokens, 4), (std::vector<int64_t>{}));
  EXPECT_EQ(repeating_tokens(tokens, 1), (std::vector<int64_t>{5, 6, 7, 8}));
}

TEST(RepeatingTokens, NeedAWholeContext) {
  const std::vector<int64_t> tokens{5};
  EXPECT_EQ(repeating_tokens(tokens, 3), (std::vector<int64_t>{}));
  EXPECT_EQ(repeating_tokens({}, 1), (std::vector<int64_t>{}));
}

}  // namespace
}  // namespace phraseq

#include "core/search/lexical_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Seen {
  std::vector<int64_t> banks;
  bool finished = false;
};

template <class State>
Seen read(const LexicalConstraints& constraints, const std::vector<int64_t>& tokens) {
  State state(constraints);
  Seen seen;
  for (const int64_t token : tokens) {
    state.advance(token);
    seen.banks.push_back(state.bank());
  }
  seen.finished = state.finished();
  return seen;
}

TEST(OrderedLexicalState, AllowsOtherTokensBetweenConstraints) {
  const Seen seen = read<OrderedLexicalState>({{5}, {6, 7}}, {9, 5, 9, 6, 7, 9});
  EXPECT_THAT(seen.banks, ElementsAre(0, 1, 1, 2, 3, 3));
  EXPECT_TRUE(seen.finished);
}

TEST(OrderedLexicalState, StartsAgainWhenAConstraintIsBrokenOff) {
  const Seen seen = read<OrderedLexicalState>({{5}, {6, 7}}, {5, 6, 9});
  EXPECT_THAT(seen.banks, ElementsAre(1, 2, 0));
  EXPECT_FALSE(seen.finished);
  EXPECT_THAT(read<OrderedLexicalState>({{5}, {6, 7}}, {5, 6, 5}).banks, ElementsAre(1, 2, 1));
}

TEST(OrderedLexicalState, DoesNotCountTheWrongOrder) {
  EXPECT_FALSE(read<OrderedLexicalState>({{5}, {6}}, {6, 5}).finished);
}

TEST(UnorderedLexicalState, TakesConstraintsInAnyOrder) {
  for (const auto& tokens : {std::vector<int64_t>{6, 7, 5}, std::vector<int64_t>{5, 9, 6, 7}})
    EXPECT_TRUE(read<UnorderedLexicalState>({{5}, {6, 7}}, tokens).finished);
  EXPECT_FALSE(read<UnorderedLexicalState>({{5}, {6, 7}}, {5, 6, 9, 7}).finished);
}

TEST(UnorderedLexicalState, UncountsTokensWhenAConstraintIsBrokenOff) {
  EXPECT_THAT(read<UnorderedLexicalState>({{6, 7, 8}, {5}}, {6, 7, 9, 5}).banks,
              ElementsAre(1, 2, 0, 1));
}

TEST(UnorderedLexicalState, CountsAConstraintThatBeginsALongerOne) {
  // 6 is complete when 6 7 breaks off.
  const Seen seen = read<UnorderedLexicalState>({{6}, {6, 7}}, {6, 7, 6});
  EXPECT_THAT(seen.banks, ElementsAre(1, 2, 3));
  EXPECT_TRUE(seen.finished);
  EXPECT_FALSE(read<UnorderedLexicalState>({{6}, {6, 7}}, {6, 7}).finished);
}

TEST(UnorderedLexicalState, RequiresEqualConstraintsAsOftenAsTheyAreGiven) {
  EXPECT_FALSE(read<UnorderedLexicalState>({{5}, {5}}, {5}).finished);
  EXPECT_TRUE(read<UnorderedLexicalState>({{5}, {5}}, {5, 9, 5}).finished);
}

TEST(LexicalState, WithoutConstraintsIsFinished) {
  EXPECT_TRUE(OrderedLexicalState({}).finished());
  EXPECT_TRUE(UnorderedLexicalState({}).finished());
  EXPECT_THAT(UnorderedLexicalState({}).next_tokens(), IsEmpty());
}

TEST(LexicalState, NamesTheTokensThatBeginOrContinueAConstraint) {
  UnorderedLexicalState state({{6, 7}, {5}});
  EXPECT_THAT(state.next_tokens(), ElementsAre(5, 6));
  state.advance(6);
  EXPECT_THAT(state.next_tokens(), ElementsAre(5, 6, 7));
}

}  // namespace
}  // namespace phraseq

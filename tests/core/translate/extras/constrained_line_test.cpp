#include "core/translate/extras/constrained_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ConstrainedLine, IsSplitAtTabs) {
  const ConstrainedLine line = split_constraints("ein Haus\ta house\tbig\t \t");
  EXPECT_EQ(line.source, "ein Haus");
  EXPECT_THAT(line.phrases, ElementsAre("a house", "big"));
  EXPECT_EQ(split_constraints("ein Haus").source, "ein Haus");
  EXPECT_THAT(split_constraints("ein Haus").phrases, IsEmpty());
  EXPECT_EQ(split_constraints("\ta").source, "");
}

TEST(ConstrainedLine, LeavesItsConstraintsInTheExample) {
  Example example;
  EXPECT_THAT(constraints_of(example), IsEmpty());
  set_constraints(example, {{5, 6}, {7}});
  EXPECT_THAT(constraints_of(example), ElementsAre(ElementsAre(5, 6), ElementsAre(7)));
  set_constraints(example, {});
  EXPECT_THAT(constraints_of(example), IsEmpty());
}

}  // namespace
}  // namespace phraseq

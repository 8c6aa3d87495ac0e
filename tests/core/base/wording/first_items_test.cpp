#include "core/base/wording/first_items.h"

#include <vector>

#include <gtest/gtest.h>

namespace phraseq {
namespace {

TEST(FirstItems, AreAllThereAreOrTheFirstAndTheNumberOfTheOthers) {
  const std::vector<std::string> items = {"a", "b", "c"};
  EXPECT_EQ(first_items(items, 4, ", "), "a, b, c");
  EXPECT_EQ(first_items(items, 3, ", "), "a, b, c");
  EXPECT_EQ(first_items(items, 2, ", "), "a, b, and 1 more");
  EXPECT_EQ(first_items(items, 1, "\n  "), "a\n  and 2 more");
  EXPECT_EQ(first_items({}, 2, ", "), "");
}

}  // namespace
}  // namespace phraseq

#include "core/base/wording/alternatives.h"

#include <vector>

#include <gtest/gtest.h>

namespace phraseq {
namespace {

TEST(Alternatives, HaveOrBeforeTheLastOne) {
  EXPECT_EQ(alternatives(std::vector<std::string>{}), "");
  EXPECT_EQ(alternatives(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(alternatives(std::vector<std::string>{"a", "b"}), "a or b");
  EXPECT_EQ(alternatives(std::vector<std::string>{"a", "b", "c"}), "a, b or c");
}

}  // namespace
}  // namespace phraseq

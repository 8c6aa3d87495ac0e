#include "core/phrase_memory/rules/plain_tokens.h"

#include <gtest/gtest.h>

namespace phraseq {
namespace {

TEST(PlainTokens, SplitMarksFromWords) {
  EXPECT_EQ(plain_tokens("March 1, 2003."),
            (std::vector<std::string>{"March", "1", ",", "2003", "."}));
  EXPECT_TRUE(has_phrase(plain_tokens("on March 1, 2003."), plain_tokens("March 1 , 2003")));
  EXPECT_FALSE(has_phrase(plain_tokens("on March 12"), plain_tokens("March 1")));
}

}  // namespace
}  // namespace phraseq

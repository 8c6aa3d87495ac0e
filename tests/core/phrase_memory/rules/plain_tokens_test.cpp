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

TEST(PlainTokens, SplitMarksOutsideOfAsciiFromWords) {
  EXPECT_EQ(plain_tokens("»im Februar«"), (std::vector<std::string>{"»", "im", "Februar", "«"}));
  EXPECT_EQ(plain_tokens("“May”…"), (std::vector<std::string>{"“", "May", "”", "…"}));
  EXPECT_EQ(plain_tokens("4.\u00A0Juli"), plain_tokens("4. Juli"));
  EXPECT_EQ(plain_tokens("Mon\u00ADday"), (std::vector<std::string>{"Monday"}));
  EXPECT_EQ(plain_tokens("Müller"), (std::vector<std::string>{"Müller"}));
}

}  // namespace
}  // namespace phraseq

// examples/recipes/xu2020/parse.sh with a replacement of link-parser that knows a few sentences.

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::ElementsAre;

// The output is like that of link-parser: settings first, then each sentence, its tree, and an
// empty line.
constexpr const char* kParser = R"sh(#!/bin/sh
echo "verbosity set to 0"
while read -r line; do
  echo "$line"
  case $line in
    "A Dog barks.") echo "(S (NP a dog.n) (VP barks.v) .)" ;;
    "Tae kwon do, at the U.S. end.")
      echo "(S {tae} (NP kwon{!}.n do.n) , (PP at (NP the U.S. {end})) .)" ;;
    "(This) is [it].") echo "(S {{} (S (NP this.p {}}) (VP is.v { it })) .)" ;;
    "É l'été :-)") echo "(S (NP é{?}.n l'été.#x) (X :-}))" ;;
    "It lost a word.") echo "(S (NP it) (VP lost.v word.n) .)" ;;
  esac
  echo
done
echo "Bye."
)sh";

class ParseScript : public ::testing::Test {
 protected:
  void SetUp() override {
    workspace_.write("link-parser", kParser);
    std::filesystem::permissions(workspace_.path("link-parser"), std::filesystem::perms::owner_all);
  }

  /// The trees of a text that is parsed in `jobs` parts.
  std::vector<std::string> parse(const std::string& text, int jobs) {
    workspace_.write("text", text);
    const std::string command = "PATH=" + workspace_.path("") +
                                ":$PATH " PHRASEQ_SOURCE_FOLDER
                                "/examples/recipes/xu2020/parse.sh " +
                                workspace_.path("text") + " " + workspace_.path("trees") + " " +
                                std::to_string(jobs) + " 2>/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return lines_of(workspace_.read("trees"));
  }

  Workspace workspace_;
};

TEST_F(ParseScript, WritesTheWordsAsTheTextDoes) {
  for (const int jobs : {1, 3}) {
    EXPECT_THAT(parse("A Dog barks.\n"
                      "Tae kwon  do, at the U.S. end.\n"
                      "(This) is [it].\n"
                      "É l'été :-)\n",
                      jobs),
                ElementsAre("(S (NP A Dog) (VP barks) .)",
                            "(S Tae (NP kwon do) , (PP at (NP the U.S. end)) .)",
                            "(S -LRB- (S (NP This -RRB-) (VP is [ it ])) .)",
                            "(S (NP É l'été) (X :- -RRB-))"));
  }
}

TEST_F(ParseScript, LeavesALineEmptyWithoutATreeOfAllWords) {
  EXPECT_THAT(parse("\n"
                    "!help\n"
                    "It lost a word.\n"
                    "Nobody knows this.\n"
                    "% A Dog barks.\n"
                    "A Dog barks.\n",
                    2),
              ElementsAre("", "", "", "", "", "(S (NP A Dog) (VP barks) .)"));
}

}  // namespace
}  // namespace phraseq::end_to_end

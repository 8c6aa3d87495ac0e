#include "core/corpus/trees/bracketed_tree.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using testing::AllOf;
using testing::HasSubstr;

BracketedTree read(std::string_view line) { return read_bracketed_tree(line, {"x.trees", 7, 0}); }

/// "word/depth" of every leaf.
std::string leaves(std::string_view line) {
  const BracketedTree tree = read(line);
  std::string text;
  for (const size_t leaf : tree.leaves()) {
    int64_t depth = 0;
    for (int64_t node = tree.nodes[leaf].parent; node >= 0; ++depth)
      node = tree.nodes[static_cast<size_t>(node)].parent;
    text += fmt::format("{}{}/{}", text.empty() ? "" : " ", tree.nodes[leaf].word, depth);
  }
  return text;
}

std::string message(std::string_view line) {
  return whole_message_of<DataError>([&] { read(line); });
}

TEST(BracketedTree, TakesABracketWithOneWordAsALeaf) {
  EXPECT_EQ(leaves("(S (NP (DT the) (NN cat)) (VP (VBD sat)))"), "the/2 cat/2 sat/2");
  EXPECT_EQ(leaves("(NN Introduction)"), "Introduction/0");
}

TEST(BracketedTree, PutsAnyOtherBareWordALevelBelowItsBracket) {
  EXPECT_EQ(leaves("(S (NP dogs) (VP chase small cats))"), "dogs/1 chase/2 small/2 cats/2");
  EXPECT_EQ(leaves("(VP are (PP outside) .)"), "are/1 outside/1 ./1");
  EXPECT_EQ(leaves("(NP (NP A man) too)"), "A/2 man/2 too/1");
}

TEST(BracketedTree, IgnoresLabelsAndAcceptsAnOuterBracketWithoutOne) {
  EXPECT_EQ(leaves("( (S (NP-SBJ-1 (PRP it)) (VP (VBZ is))))"), "it/3 is/3");
  EXPECT_EQ(leaves("((S\t(NP it)  (VP is ) ))"), "it/2 is/2");
}

TEST(BracketedTree, WritesBracketsOfTheTextAsTheTextDoes) {
  EXPECT_EQ(leaves("(X (-LRB- -LRB-) (-RRB- -RRB-) (S -LSB-) (S -RSB-) (S -LCB-) (S -RCB-) (S [))"),
            "(/1 )/1 [/1 ]/1 {/1 }/1 [/1");
}

TEST(BracketedTree, LeavesAnEmptyCategoryWithoutCharacters) {
  EXPECT_EQ(leaves("(S (NP (-NONE- *T*-1)) (VP (VB go)))"), "/2 go/2");
}

TEST(BracketedTree, KnowsASentenceThatWasNotParsed) {
  for (const char* line : {"", "  \t ", "(())", "( () )", "()"})
    EXPECT_FALSE(read(line).is_parsed()) << line;
}

TEST(BracketedTree, KeepsTheColumnsOfWords) {
  const BracketedTree tree = read("(S (NP dogs) (VP bark loudly))");
  std::vector<int64_t> columns;
  for (const BracketedTree::Node& node : tree.nodes) columns.push_back(node.column);
  EXPECT_THAT(columns, testing::ElementsAre(1, 8, 14, 18, 23));
}

TEST(BracketedTree, ReadsAMillionOpenBrackets) {
  constexpr size_t kDepth = 1'000'000;
  const std::string line = std::string(kDepth, '(') + "X w" + std::string(kDepth, ')');
  EXPECT_EQ(read(line).nodes.size(), kDepth);
}

TEST(BracketedTree, ReportsThePlaceTheProblemAndWhatWasExpected) {
  EXPECT_THAT(
      message("(S (NP dogs)"),
      AllOf(HasSubstr("x.trees:7:13: the line ends, but the bracket opened in column 1 is not "
                      "closed"),
            HasSubstr("expected one bracketed tree per line"),
            HasSubstr("Correct the line, or leave it empty")));
  EXPECT_THAT(message("(S dogs))"),
              HasSubstr("x.trees:7:9: the tree ends here, but the line continues"));
  EXPECT_THAT(message("(S a) (S b)"),
              HasSubstr("x.trees:7:7: the tree ends here, but the line continues"));
  EXPECT_THAT(message(") (S a)"), HasSubstr("x.trees:7:1: ')' has no matching bracket"));
  EXPECT_THAT(message("dogs bark"), HasSubstr("x.trees:7:1: 'dogs' is outside"));
  EXPECT_THAT(message("(S (NP) (VP bark))"),
              HasSubstr("x.trees:7:7: the bracket opened in column 4 contains no word"));
  EXPECT_THAT(message("((()))"),
              HasSubstr("x.trees:7:4: the bracket opened in column 3 contains no word"));
  EXPECT_THAT(message("(("), HasSubstr("the bracket opened in column 2 is not closed"));
}

}  // namespace
}  // namespace phraseq

#include "core/corpus/trees/subword_tree.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SubwordTree build(std::string_view line, const std::vector<int64_t>& leaf_subwords) {
  return SubwordTree::build(read_bracketed_tree(line, {}), leaf_subwords);
}

/// "depth:first" of every node, leaves with "*".
std::string shape(const SubwordTree& tree) {
  std::string text;
  for (const auto& node : tree.nodes) {
    text += fmt::format("{}{}:{}{}",
                        text.empty() ? "" : " ",
                        node.depth,
                        node.first,
                        node.children == 0 ? "*" : "");
  }
  return text + fmt::format(" | {}", tree.subwords);
}

constexpr const char* kCat = "(S (NP (DT the) (NN cat)) (VP (VBD sat)) (. .))";

TEST(SubwordTree, NumbersSubwordsDepthFirst) {
  EXPECT_EQ(shape(build(kCat, {1, 2, 3, 1})), "0:0 1:0 2:0* 2:1* 1:3 2:3* 1:6* | 7");
}

TEST(SubwordTree, PrunesWhatHasNoSubwordsAndKeepsTheOthersDepths) {
  EXPECT_EQ(shape(build(kCat, {0, 2, 0, 1})), "0:0 1:0 2:0* 1:2* | 3");
  EXPECT_EQ(shape(build("(S (A (B (C (D w) (E v)))) (F u))", {0, 1, 0})),
            "0:0 1:0 2:0 3:0 4:0* | 1");
  EXPECT_FALSE(build(kCat, {0, 0, 0, 0}).is_parsed());
}

TEST(SubwordTree, IsWrittenAsOneSmallNumberPerNode) {
  EXPECT_THAT(build(kCat, {1, 2, 3, 1}).encode(), ElementsAre(7, 5, 2, 4, 3, 6, 2));
  EXPECT_THAT(build("(NN a)", {5}).encode(), ElementsAre(10));
  EXPECT_THAT(SubwordTree{}.encode(), IsEmpty());
}

TEST(SubwordTree, IsReadAsItWasWritten) {
  for (const SubwordTree& tree : {build(kCat, {1, 2, 3, 1}),
                                  build(kCat, {0, 2, 0, 1}),
                                  build("(S a (B (C b) c (D (E (F d))) ) e)", {1, 70'000, 2, 1, 9}),
                                  build("(NN a)", {5}),
                                  SubwordTree{}}) {
    const SubwordTree again = SubwordTree::decode(tree.encode());
    EXPECT_EQ(shape(again), shape(tree));
    EXPECT_EQ(again.encode(), tree.encode());
    for (size_t i = 0; i < tree.nodes.size(); ++i)
      EXPECT_EQ(again.nodes[i].parent, tree.nodes[i].parent);
  }
}

TEST(SubwordTree, CanBeCutAfterAnySubword) {
  const SubwordTree tree = build(kCat, {1, 2, 3, 1});
  EXPECT_EQ(shape(tree.beginning(2)), "0:0 1:0 2:0* 2:1* | 2");
  EXPECT_THAT(tree.beginning(2).encode(), ElementsAre(3, 5, 2, 2));
  EXPECT_EQ(shape(tree.beginning(3)), "0:0 1:0 2:0* 2:1* | 3");
  EXPECT_EQ(shape(tree.beginning(9)), shape(tree));
  EXPECT_FALSE(tree.beginning(0).is_parsed());
}

TEST(SubwordTree, RejectsNumbersThatAreNotATree) {
  const auto message = [](const std::vector<int64_t>& code) -> std::string {
    return whole_message_of<FormatError>([&] { SubwordTree::decode(code); });
  };
  EXPECT_THAT(message({5, 2}),
              HasSubstr("ends after 2 numbers, with 1 children of a node missing"));
  EXPECT_THAT(message({3, 2, 2}), HasSubstr("is complete after 2 of 3 numbers"));
  EXPECT_THAT(message({3, 1}), HasSubstr("contains the number 1"));
  EXPECT_THAT(message({0}), HasSubstr("contains the number 0"));
}

}  // namespace
}  // namespace phraseq

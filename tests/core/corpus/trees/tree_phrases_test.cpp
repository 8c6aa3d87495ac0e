#include "core/corpus/trees/tree_phrases.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/io/line_reader.h"
#include "core/io/utf8.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr TreePhraseOptions kLiteral;
constexpr TreePhraseOptions kBounded{.bounded = true};
constexpr TreePhraseOptions kSplit{.split_long_leaves = true};

SubwordTree subword_tree(const std::string& line, const std::function<int64_t(std::string)>& size) {
  const BracketedTree tree = read_bracketed_tree(line, {});
  std::vector<int64_t> leaf_subwords;
  for (const size_t leaf : tree.leaves()) leaf_subwords.push_back(size(tree.nodes[leaf].word));
  return SubwordTree::build(tree, leaf_subwords);
}

/// A word's subwords are the parts between hyphens.
std::vector<int64_t> phrases(const std::string& line,
                             int64_t max_tokens,
                             const TreePhraseOptions& options) {
  const auto size = [](const std::string& word) {
    return 1 + std::count(word.begin(), word.end(), '-');
  };
  return tree_phrases(subword_tree(line, size), max_tokens, options);
}

TEST(TreePhrases, FollowsTheFirstWorkedExample) {
  const std::string tree =
      "(S (NP (DT the) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))))";
  EXPECT_THAT(phrases(tree, 3, kLiteral), ElementsAre(3, 3));
  EXPECT_THAT(phrases(tree, 3, kBounded), ElementsAre(3, 3));
}

TEST(TreePhrases, BoundsOnlyWhatIsAddedUnlessAskedToBoundTheSum) {
  const std::string tree =
      "(S (NP (DT the) (JJ old) (NN man)) (VP (VBZ eats) (NP (DT a) (JJ red) (NN apple))))";
  EXPECT_THAT(phrases(tree, 4, kLiteral), ElementsAre(7));
  EXPECT_THAT(phrases(tree, 4, kBounded), ElementsAre(3, 4));
}

TEST(TreePhrases, AddsAConstituentOfMaxTokensButNeverBeginsWithIt) {
  const std::string tree = "(S (NP (DT the) (JJ big) (NN dog)) (VP (VBZ barks)))";
  EXPECT_THAT(phrases(tree, 3, kLiteral), ElementsAre(4));
  EXPECT_THAT(phrases(tree, 3, kBounded), ElementsAre(3, 1));
}

TEST(TreePhrases, MakesALongLeafAPhraseOfItsOwn) {
  const std::string tree = "(S (NP (NNP Do-nau-damp-fer)) (VP (VBZ legt) (RP ab)))";
  EXPECT_THAT(phrases(tree, 3, kLiteral), ElementsAre(4, 2));
  EXPECT_THAT(phrases(tree, 3, kBounded), ElementsAre(4, 2));
  EXPECT_THAT(phrases(tree, 3, kSplit), ElementsAre(3, 1, 2));
  EXPECT_THAT(phrases("(NN a-b-c-d-e-f)", 3, kSplit), ElementsAre(3, 3));
}

TEST(TreePhrases, DoesNotExtendALongLeaf) {
  EXPECT_THAT(phrases("(S (A a) (B b-b-b))", 3, kLiteral), ElementsAre(1, 3));
  EXPECT_THAT(phrases("(S (A a) (B b-b-b-b))", 3, kSplit), ElementsAre(1, 3, 1));
}

TEST(TreePhrases, HasNoSeedWhenMaxTokensIsOne) {
  EXPECT_THAT(phrases("(S (A a) (B b-b))", 1, kLiteral), ElementsAre(1, 2));
  EXPECT_THAT(phrases("(S (A a) (B b-b))", 1, kSplit), ElementsAre(1, 1, 1));
}

TEST(TreePhrases, BeginsAUnaryChainNearestTheRoot) {
  // If the chain began at VBZ (depth 2), "b" would be next; as it begins at VP (depth 1), NP is
  // next, which has too many tokens.
  const std::string tree = "(S (NP (A a) (B b) (C c) (D d)) (VP (VBZ e)))";
  EXPECT_THAT(phrases(tree, 3, kLiteral), ElementsAre(4, 1));
}

TEST(TreePhrases, StopsWhereTheRightEdgeEndsAboveTheSeed) {
  // [d e f] at depth 3 has room for one more, but then the right edge is S - A.
  EXPECT_THAT(phrases("(S (A a) (X (Y (D d) (E e) (F f))))", 3, kLiteral), ElementsAre(1, 3));
}

TEST(TreePhrases, TreatsTheRestOfAConstituentAsAConstituent) {
  // The long leaf forms a phrase alone; S, of which four tokens are left, is the next seed.
  EXPECT_THAT(phrases("(S (NP (A a) (B b)) (X (C c) (D d)) (VP (V barks-b-b-b-b)))", 5, kLiteral),
              ElementsAre(4, 5));
}

TEST(TreePhrases, DistinguishesWordsWithAndWithoutABracketOfTheirOwn) {
  // (NP dogs) is a leaf at depth 1; the words below VP are leaves at depth 2.
  EXPECT_THAT(phrases("(S (NP dogs) (VP chase small cats))", 2, kLiteral), ElementsAre(1, 3));
  EXPECT_THAT(phrases("(S (NP dogs) (VP chase small cats))", 4, kLiteral), ElementsAre(4));
}

TEST(TreePhrases, IsNothingForASentenceThatWasNotParsed) {
  EXPECT_THAT(tree_phrases({}, 3, kLiteral), IsEmpty());
  EXPECT_THROW(tree_phrases({}, 0, kLiteral), UsageError);
}

// Against an independent program: tests/golden/tree_phrases/generate.py.
class GoldenTreePhrases : public ::testing::Test {
 protected:
  static int64_t made_up_subwords(const std::string& word) {
    int64_t sum = 0;
    for (size_t position = 0; position < word.size();)
      sum += static_cast<int64_t>(next_character(word, position));
    return sum % 5;
  }
  const std::vector<std::string>& lines(const std::string& file) {
    auto& read = files_[file];
    if (read.empty())
      read = read_lines(file);
    return read;
  }

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

TEST_F(GoldenTreePhrases, EqualAnIndependentProgramsOnRealTrees) {
  const char* place = std::getenv("PHRASEQ_DATA");
  if (place == nullptr)
    GTEST_SKIP() << "PHRASEQ_DATA is not set";
  std::ifstream file(PHRASEQ_SOURCE_FOLDER "/tests/golden/tree_phrases/golden.json");
  const auto golden = nlohmann::json::parse(file);
  ASSERT_GE(golden["cases"].size(), 500U);
  for (const auto& expected : golden["cases"]) {
    const std::string name = expected["file"];
    const int64_t line = expected["line"];
    SCOPED_TRACE(name + ":" + std::to_string(line));
    const std::string& text = lines(std::string(place) + "/" + name)[static_cast<size_t>(line) - 1];
    ASSERT_EQ(read_bracketed_tree(text, {}).leaves().size(), expected["words"]);
    const SubwordTree tree = SubwordTree::decode(subword_tree(text, made_up_subwords).encode());
    ASSERT_EQ(nlohmann::json(tree.subwords), expected["subwords"]);
    const auto lengths = [&](bool bounded, bool split) {
      return nlohmann::json(tree_phrases(tree, expected["n"], {bounded, split}));
    };
    EXPECT_EQ(lengths(false, false), expected["literal"]);
    EXPECT_EQ(lengths(false, true), expected["literal_split"]);
    EXPECT_EQ(lengths(true, false), expected["bounded"]);
    EXPECT_EQ(lengths(true, true), expected["bounded_split"]);
  }
}

}  // namespace
}  // namespace phraseq

#include "core/corpus/trees/tree_alignment.h"

#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/io/line_reader.h"
#include "core/text/sentencepiece/sentencepiece_tokenizer.h"
#include "core/text/sentencepiece/sentencepiece_training.h"
#include "core/text/word_tokenizer.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// The symbols are separated by spaces. The tokenizer only lowercases, and only if asked.
std::vector<int64_t> align(const std::string& line,
                           std::string_view symbols,
                           bool lowercase = false) {
  const WordTokenizer tokenizer(lowercase);
  const std::vector<std::string> given = WordTokenizer().encode(symbols);
  return TreeAligner(tokenizer)
      .align(read_bracketed_tree(line, {}), given, {"x.trees", 3, 0})
      .encode();
}

std::string alignment_message(const std::string& line, std::string_view symbols) {
  return whole_message_of<DataError>([&] { align(line, symbols); });
}

constexpr const char* kTree = "(S (NP (DT the) (NN cats)) (VP sat))";

TEST(TreeAligner, GivesEachLeafTheSymbolsThatBeginInIt) {
  EXPECT_THAT(align(kTree, "the cats sat"), ElementsAre(5, 5, 2, 2, 2));
  EXPECT_THAT(align(kTree, "▁the ▁ca t s ▁s at"), ElementsAre(5, 5, 2, 6, 4));
  EXPECT_THAT(align(kTree, "the ca@@ ts s@@ a@@ t"), ElementsAre(5, 5, 2, 4, 6));
}

TEST(TreeAligner, KnowsWordsThatTheTextDoesNotSeparate) {
  EXPECT_THAT(align("(NP (NP (NN cat) (POS 's)) (NN ear) (. .))", "▁cat ' s ▁ear ."),
              ElementsAre(7, 5, 2, 4, 2, 2));
}

TEST(TreeAligner, PrunesALeafThatNoSubwordBeginsIn) {
  EXPECT_THAT(align(kTree, "▁thecats ▁sat"), ElementsAre(5, 3, 2, 2));
  EXPECT_THAT(align("(S (NP (-NONE- *)) (VP sat))", "sat"), ElementsAre(3, 2));
}

TEST(TreeAligner, GivesALoneSpaceMarkToWhatFollowsOrToTheLastLeaf) {
  EXPECT_THAT(align(kTree, "▁ the ▁ cats ▁sat"), ElementsAre(5, 5, 4, 4, 2));
  EXPECT_THAT(align(kTree, "the▁ cats▁ sat ▁"), ElementsAre(5, 5, 2, 2, 4));
  EXPECT_THAT(align("(S sat (X (-NONE- *)))", "▁sat ▁"), ElementsAre(3, 4));
}

TEST(TreeAligner, TreatsADoubledAtSignAsAMarkOnlyIfTheWordContinues) {
  EXPECT_THAT(visible_characters(std::vector<std::string>{"a@@", "@@", "b@@"}),
              ElementsAre("a", "@@", "b@@"));
  EXPECT_THAT(visible_characters(std::vector<std::string>{"▁a@@", "b"}), ElementsAre("a@@", "b"));
}

TEST(TreeAligner, NormalizesLeavesAsTheTokenizerNormalizesText) {
  EXPECT_THAT(align("(S (NP The) (VP SAT))", "the sat", /*lowercase=*/true), ElementsAre(5, 2, 2));
}

TEST(TreeAligner, IsNothingForASentenceThatWasNotParsed) {
  EXPECT_TRUE(align("(())", "the cats sat").empty());
  EXPECT_TRUE(align("", "").empty());
}

TEST(TreeAligner, NamesFileLineLeafAndSubwords) {
  EXPECT_THAT(
      alignment_message(kTree, "▁the ▁do gs ▁sat ▁on ▁it"),
      AllOf(HasSubstr("x.trees:3:21: leaf 2 of 3 is 'cats', but the subwords have '▁do' 'gs' "
                      "'▁sat' '▁on' …"),
            HasSubstr("The leaves of a tree must match the sentence of the same line")));
  EXPECT_THAT(alignment_message(kTree, "the cats"),
              HasSubstr("leaf 3 of 3 is 'sat', but the subwords have nothing more"));
  EXPECT_THAT(alignment_message(kTree, ""),
              HasSubstr("leaf 1 of 3 is 'the', but the subwords have nothing more"));
  EXPECT_THAT(
      alignment_message(kTree, "the cats sat on it"),
      HasSubstr("x.trees:3:32: the tree ends with leaf 3, 'sat', but the subwords continue with "
                "'on' 'it'"));
}

class RealTrees : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* place = std::getenv("PHRASEQ_DATA");
    if (place == nullptr)
      GTEST_SKIP() << "PHRASEQ_DATA is not set";
    data = place;
  }

  static SentencePieceTokenizer learn(const std::vector<std::string>& text,
                                      SentencePieceType type) {
    size_t line = 0;
    const auto next = [&](std::string& sentence) {
      if (line == text.size())
        return false;
      sentence = text[line++];
      return true;
    };
    return {train_sentencepiece(next, {type, 1000, 0.9995}), "the learned model"};
  }

  /// Every subword of every sentence is below a leaf.
  void expect_covered(const std::string& text_file,
                      const std::string& tree_file,
                      SentencePieceType type) {
    const auto text = read_lines(data + text_file);
    const auto trees = read_lines(data + tree_file);
    ASSERT_EQ(text.size(), trees.size());
    const SentencePieceTokenizer tokenizer = learn(text, type);
    TreeAligner aligner(tokenizer);
    for (size_t i = 0; i < text.size(); ++i) {
      const TextPlace place{tree_file, static_cast<int64_t>(i) + 1, 0};
      const BracketedTree tree = read_bracketed_tree(trees[i], place);
      if (!tree.is_parsed())
        continue;
      const auto expect_covers = [&](const std::vector<std::string>& symbols) {
        const SubwordTree aligned = aligner.align(tree, symbols, place);
        ASSERT_EQ(aligned.subwords, static_cast<int64_t>(symbols.size())) << to_string(place);
      };
      expect_covers(tokenizer.encode(text[i]));
      expect_covers(tokenizer.sample(text[i], i));
    }
  }

  std::string data;
};

TEST_F(RealTrees, OfATreebankCoverEverySubword) {
  expect_covered("/trees/gum/dev.txt.gz", "/trees/gum/dev.trees.gz", SentencePieceType::kBpe);
  expect_covered("/trees/gum/dev.txt.gz", "/trees/gum/dev.trees.gz", SentencePieceType::kUnigram);
}

TEST_F(RealTrees, OfALinkParserCoverEverySubword) {
  expect_covered("/trees/link-grammar/multi30k-train-first200.txt",
                 "/trees/link-grammar/multi30k-train-first200.trees",
                 SentencePieceType::kBpe);
}

}  // namespace
}  // namespace phraseq

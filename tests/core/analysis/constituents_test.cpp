#include "core/analysis/constituents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/support/xml.h"

namespace phraseq::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// (S (NP the cat) sat): 2k + 1 for a node of k children, 2k for a leaf of k subwords.
const std::vector<int64_t> kTree = {5, 5, 2, 2, 2};

/// Two heads, two queries, words and bigrams of "the cat sat </s>".
RecordedSentence of_bigrams() {
  return {0,
          {"the", "cat", "sat", "</s>"},
          {"</s>", "a"},
          {{"decoder.layers.2.encoder_attn.weights",
            {1, 2, 2, 2, 4},
            // clang-format off
            //  words                   bigrams, by their last word
            {0.1F, 0.0F, 0.0F, 0.0F,  0.0F, 0.9F, 0.0F, 0.0F,    // the cat: a constituent
             0.2F, 0.2F, 0.0F, 0.0F,  0.0F, 0.0F, 0.6F, 0.0F,    // cat sat: not a constituent
             0.5F, 0.0F, 0.0F, 0.0F,  0.0F, 0.5F, 0.0F, 0.0F,    // equal weights: the word
             0.1F, 0.1F, 0.1F, 0.0F,  0.7F, 0.0F, 0.0F, 0.0F},   // a bigram cut off at the start: the word
            // clang-format on
            {}}},
          {"a", "</s>"}};
}

/// A sentence of three phrases, <s> / the cat / </s>.
RecordedSentence of_phrases() {
  RecordedSentence sentence{0,
                            {"<s>", "the", "cat", "</s>"},
                            {"<s>", "a"},
                            {{"decoder.phrase_combinations.0.phrase_attn.weights",
                              {1, 1, 2, 1, 3},
                              {0.2F, 0.5F, 0.3F, 0.6F, 0.3F, 0.1F},
                              {}},
                             {"encoder.phrase_combinations.0.phrase_attn.weights",
                              {1, 1, 1, 1, 3},
                              {0.0F, 0.0F, 1.0F},
                              {}}},
                            {"a", "</s>"}};
  sentence.phrase_offsets = {0, 1, 3, 4};
  return sentence;
}

TEST(Constituents, AreTheTokensBelowNodesOfSeveral) {
  EXPECT_THAT(constituents_of(SubwordTree::decode(kTree), 0),
              ElementsAre(TokenSpan{0, 2}, TokenSpan{0, 3}));
  EXPECT_THAT(constituents_of(SubwordTree::decode(kTree), 1),
              ElementsAre(TokenSpan{1, 3}, TokenSpan{1, 4}));
  // (S (NP a-b) (VP c (NP d e))): a leaf of two subwords is a constituent, too.
  const std::vector<int64_t> deep = {5, 3, 4, 5, 2, 5, 2, 2};
  EXPECT_THAT(constituents_of(SubwordTree::decode(deep), 0),
              ElementsAre(TokenSpan{0, 2}, TokenSpan{0, 5}, TokenSpan{2, 5}, TokenSpan{3, 5}));
  EXPECT_THAT(constituents_of(SubwordTree(), 0), IsEmpty());
}

TEST(ConstituentTable, CountsTheNgramsWithTheLargestWeights) {
  ConstituentTable table(AttentionPlace::kCross);
  table.add(of_bigrams(), kTree);
  const auto rows = table.rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].layer, 3);
  EXPECT_EQ(rows[0].keys, 4);
  EXPECT_EQ(rows[0].ngrams, 2);
  EXPECT_EQ(rows[0].constituents, 1);
  EXPECT_DOUBLE_EQ(rows[0].chance, 1.0 / 3);  // of the three bigrams, "the cat" is one
  ASSERT_EQ(rows[0].lengths.size(), 1u);
  EXPECT_EQ(rows[0].lengths[0].tokens, 2);
}

TEST(ConstituentTable, TakesThePhrasesOfModelsThatDivideTheSource) {
  const std::vector<int64_t> tree = {5, 2, 2};
  ConstituentTable decoder(AttentionPlace::kCross);
  decoder.add(of_phrases(), tree);
  const auto used = decoder.rows().at(0);
  EXPECT_EQ(used.keys, 2);
  EXPECT_EQ(used.ngrams, 1);  // <s> is a word
  EXPECT_EQ(used.constituents, 1);
  ConstituentTable encoder(AttentionPlace::kEncoderSelf);
  encoder.add(of_phrases(), tree);
  EXPECT_EQ(encoder.rows().at(0).keys, 1);
  EXPECT_EQ(encoder.rows().at(0).ngrams, 0);
  EXPECT_EQ(encoder.rows().at(0).chance, 0.0);
  EXPECT_THAT(encoder.text(), HasSubstr("\n    1     0.00             -       -\n"));
  EXPECT_TRUE(nlohmann::json::parse(encoder.json())["layers"][0]["chance"].is_null());
  EXPECT_THAT(encoder.plot().document(), Not(HasSubstr("1: 0.0")));
}

TEST(ConstituentTable, LeavesOutSentencesWithoutATree) {
  ConstituentTable table(AttentionPlace::kCross);
  table.add(of_bigrams(), {});
  EXPECT_EQ(table.sentences(), 0);
  EXPECT_THAT(table.text(), HasSubstr("\n0 sentences, 1 without a tree\n"));
  EXPECT_THAT(table.rows(), IsEmpty());
}

TEST(ConstituentTable, RejectsTheTreeOfAnotherSentence) {
  ConstituentTable table(AttentionPlace::kCross);
  try {
    table.add(of_bigrams(), {5, 2, 4, 2, 2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("stored tree"));
  }
  try {
    table.add(of_bigrams(), {3, 2});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("sentence 1: the tree covers 1 tokens, but the source has 3"));
  }
}

TEST(ConstituentTable, IsPrintedAsPercentages) {
  ConstituentTable table(AttentionPlace::kCross);
  table.add(of_bigrams(), kTree);
  table.add(of_bigrams(), {});
  EXPECT_EQ(table.text(),
            "Cross-attention: attended n-grams that are constituents, %\n"
            "layer  n-grams  constituents  chance\n"
            "    3    50.00         50.00   33.33\n"
            "1 sentences, 1 without a tree\n");
  const auto report = nlohmann::json::parse(table.json());
  EXPECT_EQ(report["attention"], "cross");
  EXPECT_EQ(report["sentences"], 1);
  EXPECT_EQ(report["without_tree"], 1);
  EXPECT_EQ(report["layers"][0]["constituents"], 1);
  EXPECT_EQ(report["layers"][0]["lengths"][0]["used"], 2);
  const std::string svg = table.plot().document();
  EXPECT_EQ(testing_support::XmlCheck(svg).fault(), "");
  EXPECT_THAT(svg, HasSubstr("<title>attended n-grams, 3: 50.0</title>"));
}

}  // namespace
}  // namespace phraseq::analysis

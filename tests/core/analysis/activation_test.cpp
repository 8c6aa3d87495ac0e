#include "core/analysis/activation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/core/analysis/example.h"
#include "tests/support/xml.h"

namespace phraseq::analysis {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

testing::Matcher<double> near(double value) { return DoubleNear(value, 1e-6); }

Quadrants of_example(ActivationStatistic statistic, double threshold = 0.5) {
  const RecordedSentence sentence = example_sentence();
  return activation_of(
      attention_weights(sentence, AttentionPlace::kCross)[0], statistic, threshold);
}

TEST(Activation, PeakCreditsWhereEachHeadsLargestWeightIs) {
  // Token 0: head 1 1.0 (t2t), head 2 0.7 (t2t). Token 1: head 1 0.3 in u1's bigrams and in c1's
  // (a tie: t2p comes first), head 2 0.6 in c1's words (p2t).
  EXPECT_THAT(of_example(ActivationStatistic::kPeak),
              ElementsAre(near(0.5), near(0.25), near(0.25), near(0)));
}

TEST(Activation, MassAddsUpTheWeights) {
  // Six rows of weight 1: t2t 1 + 0.4 + 0.9 + 0.5, t2p 0.6 + 0.1 + 0.5, p2t 0.5 + 0.7, p2p 0.5 +
  // 0.3.
  EXPECT_THAT(of_example(ActivationStatistic::kMass),
              ElementsAre(near(2.8 / 6), near(1.2 / 6), near(1.2 / 6), near(0.8 / 6)));
}

TEST(Activation, ThresholdCountsWeightsThatReachIt) {
  // 0.5 and above: 1.0, 0.7, 0.5 in t2t; 0.6 in p2t.
  EXPECT_THAT(of_example(ActivationStatistic::kThreshold),
              ElementsAre(near(0.75), near(0), near(0.25), near(0)));
  EXPECT_THAT(of_example(ActivationStatistic::kThreshold, 1.0),
              ElementsAre(near(1), near(0), near(0), near(0)));
}

TEST(Activation, OfPlainAttentionIsAllWords) {
  RecordedSentence sentence;
  sentence.tensors = {{"decoder.layers.0.encoder_attn.weights", {1, 1, 1, 1, 2}, {0.5, 0.5}, {}}};
  const auto weights = attention_weights(sentence, AttentionPlace::kCross)[0];
  for (const auto& [name, statistic] : kActivationStatisticNames) {
    EXPECT_THAT(activation_of(weights, statistic, 0.5), ElementsAre(1, 0, 0, 0)) << name;
  }
}

TEST(Activation, CountsAnyLongerNgramAsAPhrase) {
  RecordedSentence sentence;
  sentence.tensors = {{"decoder.layers.0.encoder_attn.weights",
                       {1, 1, 1, 3, 1},
                       {0.2F, 0.3F, 0.5F},
                       {{"key_ngrams", {1, 2, 3}}}}};
  EXPECT_THAT(
      activation_of(
          attention_weights(sentence, AttentionPlace::kCross)[0], ActivationStatistic::kMass, 0),
      ElementsAre(near(0.2), near(0.8), near(0), near(0)));
}

TEST(ActivationTable, AveragesSentencesAndSkipsThoseThatDoNotCount) {
  ActivationTable table(AttentionPlace::kCross, ActivationStatistic::kThreshold, 0.95);
  RecordedSentence sentence = example_sentence();
  table.add(sentence);  // t2t alone
  for (auto& tensor : sentence.tensors) {
    if (!tensor.values.empty() && tensor.shape.size() == 5)
      tensor.values[0] = 0;
  }
  table.add(sentence);  // nothing reaches 0.95
  for (auto& tensor : sentence.tensors) {
    if (tensor.shape.size() == 5)
      tensor.values[0] = tensor.values[4] = 1;  // a word and a bigram of u0
  }
  table.add(sentence);
  const auto rows = table.rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].layer, 11);
  EXPECT_EQ(rows[0].sentences, 2);
  EXPECT_THAT(rows[0].shares, ElementsAre(near(0.75), near(0.25), near(0), near(0)));
}

TEST(ActivationTable, IsPrintedAsPercentages) {
  ActivationTable table(AttentionPlace::kCross, ActivationStatistic::kPeak, 0.5);
  table.add(example_sentence());
  EXPECT_EQ(table.text(),
            "Cross-attention: activation (peak), %\n"
            "layer     t2t     t2p     p2t     p2p  sentences\n"
            "    1   50.00   25.00   25.00    0.00          1\n"
            "   11   50.00   25.00   25.00    0.00          1\n");
  const auto report = nlohmann::json::parse(table.json());
  EXPECT_EQ(report["statistic"], "peak");
  EXPECT_FALSE(report.contains("threshold"));
  EXPECT_EQ(report["attention"], "cross");
  EXPECT_EQ(report["layers"][1]["layer"], 11);
  EXPECT_EQ(report["layers"][1]["p2t"], 0.25);
  const std::string svg = table.plot().document();
  EXPECT_EQ(testing_support::XmlCheck(svg).fault(), "");
  EXPECT_THAT(svg, HasSubstr("<title>t2p, 11: 25.0</title>"));
}

TEST(AttentionPlace, IsRejectedWhenUnknown) { EXPECT_THROW(attention_place("self"), UsageError); }

}  // namespace
}  // namespace phraseq::analysis

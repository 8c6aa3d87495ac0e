#include "core/data/multilingual/sampled_corpus.h"

#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/data/batching/part_plans.h"
#include "core/data/joined/joined_corpus.h"
#include "tests/core/data/random_corpus.h"

namespace phraseq {
namespace {

using nlohmann::json;
using phraseq::testing::LengthsCorpus;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Counts = std::vector<int64_t>;

/// Corpora of these sizes; a source of part p has p + 2 tokens.
std::vector<SampledPart> parts_of(const Counts& sizes) {
  std::vector<SampledPart> parts;
  for (const int64_t size : sizes) {
    const auto length = static_cast<int64_t>(parts.size()) + 2;
    std::vector<std::pair<int64_t, int64_t>> lengths(static_cast<size_t>(size), {length, 3});
    parts.push_back({"part" + std::to_string(parts.size()),
                     std::make_unique<LengthsCorpus>(std::move(lengths))});
  }
  return parts;
}

SamplingWeights temperature(double value) {
  return [value](std::span<const int64_t> sizes) { return temperature_weights(sizes, value); };
}

/// How often each sentence of each part occurs in the current epoch.
std::map<std::pair<int64_t, int64_t>, int64_t> uses(const Corpus& corpus) {
  std::map<std::pair<int64_t, int64_t>, int64_t> found;
  for (int64_t i = 0; i < corpus.size(); ++i) {
    const Example example = corpus.get(i);
    EXPECT_EQ(example.id, i);
    EXPECT_EQ(corpus.source_length(i), static_cast<int64_t>(example.source.size()));
    ++found[{corpus.source_length(i) - 2, example.source.front() - 10}];
  }
  return found;
}

class Sampling : public ::testing::Test {
 protected:
  void SetUp() override { set_log_quiet(true); }
};

TEST_F(Sampling, HasTheWeightsSizesAndCountsOfFairseq) {
  std::ifstream file(PHRASEQ_SOURCE_FOLDER "/tests/golden/fairseq_multilingual/expected.json");
  const json samplings = json::parse(file).at("samplings");
  ASSERT_EQ(samplings.size(), 20U);
  for (const json& of_fairseq : samplings) {
    const auto sizes = of_fairseq.at("sizes").get<Counts>();
    const json& value = of_fairseq.at("temperature");
    const SamplingWeights weights =
        value.is_null() ? SamplingWeights(uniform_weights) : temperature(value.get<double>());
    const auto found = weights(sizes);
    for (size_t i = 0; i < sizes.size(); ++i)
      EXPECT_NEAR(found[i], of_fairseq.at("weights").at(i), 1e-12) << of_fairseq;
    EXPECT_EQ(default_virtual_size(sizes, found), of_fairseq.at("virtual_size")) << of_fairseq;
    const SampledCorpus corpus(parts_of(sizes), {weights});
    EXPECT_EQ(corpus.size(), of_fairseq.at("virtual_size"));
    const Counts counts = corpus.counts();
    for (size_t i = 0; i < sizes.size(); ++i)  // both draw the remaining sentences
      EXPECT_NEAR(counts[i], of_fairseq.at("counts").at(i).get<int64_t>(), 3) << of_fairseq;
  }
}

TEST_F(Sampling, WithoutWeightsHasEverySentenceOnce) {
  SampledCorpus corpus(parts_of({3, 5}), {});
  const auto used = uses(corpus);
  EXPECT_EQ(used.size(), 8U);
  EXPECT_EQ(corpus.size(), 8);
  corpus.start_epoch(2);
  EXPECT_EQ(uses(corpus), used);
}

TEST_F(Sampling, UsesTheSentencesOfASmallPartEquallyOften) {
  PairSampling settings{uniform_weights};
  settings.virtual_size = 44;
  SampledCorpus corpus(parts_of({40, 5}), settings);
  EXPECT_THAT(corpus.counts(), ElementsAre(22, 22));
  int64_t more = 0;
  for (const auto& [sentence, count] : uses(corpus)) {
    EXPECT_LE(count, sentence.first == 0 ? 1 : 5);
    EXPECT_GE(count, sentence.first == 0 ? 1 : 4);
    more += sentence.first == 1 && count == 5 ? 1 : 0;
  }
  EXPECT_EQ(more, 2) << "22 = 4 times 5 and 2";
}

TEST_F(Sampling, DrawsAgainInEveryPassAndTheSameForTheSameSeed) {
  PairSampling settings{uniform_weights};
  settings.seed = 7;
  SampledCorpus corpus(parts_of({40, 10}), settings), again(parts_of({40, 10}), settings);
  const auto first = uses(corpus);
  EXPECT_EQ(uses(again), first);
  corpus.start_epoch(2);
  again.start_epoch(3);
  again.start_epoch(2);
  EXPECT_NE(uses(corpus), first);
  EXPECT_EQ(uses(again), uses(corpus));
  EXPECT_EQ(again.fingerprint(), corpus.fingerprint());
  settings.seed = 8;
  EXPECT_NE(uses(SampledCorpus(parts_of({40, 10}), settings)), first);
}

TEST_F(Sampling, CutsAPassIntoVirtualEpochs) {
  PairSampling settings;
  settings.virtual_epoch_size = 4;
  SampledCorpus corpus(parts_of({3, 8}), settings);
  for (const int64_t pass : {0, 1}) {
    std::map<std::pair<int64_t, int64_t>, int64_t> all;
    for (int64_t epoch = 1; epoch <= 3; ++epoch) {
      corpus.start_epoch(3 * pass + epoch);
      EXPECT_EQ(corpus.size(), epoch == 3 ? 3 : 4);
      for (const auto& [sentence, count] : uses(corpus)) all[sentence] += count;
    }
    EXPECT_EQ(all.size(), 11U) << "every sentence once in a pass";
  }
}

TEST_F(Sampling, NeedsTextOfEveryPartAndPositiveWeights) {
  EXPECT_THAT(
      [] {
        SampledCorpus(parts_of({3, 0}), {});
      },
      ::testing::ThrowsMessage<DataError>(HasSubstr("part1: there is no text")));
  const SamplingWeights zero = [](std::span<const int64_t>) { return std::vector<double>{1, 0}; };
  EXPECT_THROW(SampledCorpus(parts_of({3, 1}), {zero}), UsageError);
}

TEST(PartPlans, KeepThePartsOfACorpusApart) {
  std::vector<std::unique_ptr<Corpus>> parts;
  for (const int64_t length : {4, 2}) {
    parts.push_back(std::make_unique<LengthsCorpus>(std::vector<std::pair<int64_t, int64_t>>{
        {length, 3}, {1, 3}, {length, 3}, {length + 1, 2}}));
  }
  const JoinedCorpus corpus(std::move(parts), std::vector<std::string>{"en-de", "de-en"});
  BatchingOptions options;
  options.shuffle = false;
  options.max_sentences = 2;
  const PartPlans plans = plan_parts(corpus, options, 1);
  EXPECT_THAT(plans.plan.batches,
              ElementsAre(ElementsAre(3, 0), ElementsAre(2), ElementsAre(7, 4), ElementsAre(6)));
  EXPECT_THAT(plans.part_of_batch, ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(plans.plan.skipped.total(), 2);
  EXPECT_THAT(plans.plan.skipped.text(), HasSubstr("source is empty: 2 (sentence 2"));
}

}  // namespace
}  // namespace phraseq

#include "core/score/significance/significance.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/score/metrics/bleu.h"
#include "core/score/metrics/chrf.h"
#include "core/score/metrics/ter.h"
#include "core/score/significance/pcg64.h"

namespace phraseq::score {
namespace {

constexpr size_t kSentences = 37;
constexpr uint64_t kSeed = 12345;

/// Lines such as "alpha1 beta1 gamma delta1 eta theta1", whose numbers repeat in cycles.
Lines sentences(size_t beta, size_t delta, size_t theta) {
  Lines lines;
  for (size_t i = 0; i < kSentences; ++i) {
    lines.push_back(fmt::format(
        "alpha{} beta{} gamma delta{} eta theta{}", i % 5, i % beta, i % delta, i % theta));
  }
  return lines;
}

/// The statistics of two systems.
std::vector<Statistics> example(const Metric& metric) {
  const std::vector<Lines> references = {sentences(7, 3, 11)};
  return {collect_statistics(metric, sentences(7, 4, 10), references, 1),
          collect_statistics(metric, sentences(6, 3, 9), references, 1)};
}

struct Expected {
  Interval baseline;
  Interval system;
  double p_value;
  double randomization_p_value;
};

void expect_interval(const Interval& interval, const Interval& expected) {
  EXPECT_NEAR(interval.mean, expected.mean, 1e-4);
  EXPECT_NEAR(interval.half_width, expected.half_width, 1e-4);
}

/// sacrebleu 2.6.0's PairedTest with 200 resamples and 500 trials, NumPy 2.4.
void expect_significance(const Metric& metric, const Expected& expected) {
  const auto systems = example(metric);
  for (const int threads : {1, 3}) {
    const auto scores = bootstrap(metric, systems, {200, kSeed, threads});
    expect_interval(paired_bootstrap(metric, scores[0], scores[0]).interval, expected.baseline);
    const auto paired = paired_bootstrap(metric, scores[0], scores[1]);
    expect_interval(paired.interval, expected.system);
    EXPECT_DOUBLE_EQ(paired.p_value, expected.p_value);
    EXPECT_DOUBLE_EQ(paired_randomization(metric, systems[0], systems[1], {500, kSeed, threads}),
                     expected.randomization_p_value);
  }
}

TEST(Significance, OfBleuIsSacrebleus) {
  expect_significance(Bleu({}),
                      {{43.18348126963059, 9.314340266378508},
                       {40.290656192712575, 10.110693246722448},
                       0.22388059701492538,
                       0.6906187624750499});
}

TEST(Significance, OfChrfIsSacrebleus) {
  expect_significance(Chrf({}),
                      {{88.23793029785156, 1.8317184448242188},
                       {86.52751159667969, 1.7208480834960938},
                       0.05970149253731343,
                       0.1377245508982036});
}

TEST(Significance, OfTerIsSacrebleus) {
  expect_significance(Ter({}),
                      {{24.30630874633789, 3.1531524658203125},
                       {26.6801815032959, 3.6036033630371094},
                       0.05970149253731343,
                       0.07784431137724551});
}

TEST(Significance, CountsResamplesThatReverseTheOrderAsKoehnDoes) {
  const Bleu bleu({});
  const BootstrappedScore baseline = {20, {19, 20, 21, 22, 20}};
  const BootstrappedScore better = {21, {20, 21, 21, 21, 22}};  // one tie and one reversal
  EXPECT_DOUBLE_EQ(paired_bootstrap(bleu, baseline, better).koehn_p_value, 2.0 / 5);
  EXPECT_DOUBLE_EQ(paired_bootstrap(bleu, better, baseline).koehn_p_value, 2.0 / 5);
}

// The differences 1 1 0 1 2 have the mean 1. Centered, they are 0 0 -1 0 1, of which none exceeds
// the observed difference, 1.
TEST(Significance, CentersDifferencesForThePValue) {
  const BootstrappedScore baseline = {20, {19, 20, 21, 22, 20}};
  BootstrappedScore system = {21, {20, 21, 21, 21, 22}};
  EXPECT_DOUBLE_EQ(paired_bootstrap(Bleu({}), baseline, system).p_value, 1.0 / 6);
  system.score = 20.5;
  EXPECT_DOUBLE_EQ(paired_bootstrap(Bleu({}), baseline, system).p_value, 2.0 / 6);
}

TEST(Significance, CutsAFortiethOffEitherEnd) {
  std::vector<double> scores(80);
  for (size_t at = 0; at < scores.size(); ++at) scores[at] = static_cast<double>(79 - at);
  const auto interval = confidence_interval(scores, false, Mean::kExact);
  EXPECT_EQ(interval.mean, 39.5);
  EXPECT_EQ(interval.half_width, (77 - 2) / 2.0);
  scores.erase(scores.begin());  // 78 to 0: one off either end
  EXPECT_EQ(confidence_interval(scores, false, Mean::kExact).half_width, (77 - 1) / 2.0);
}

// The mean by NumPy 2.4. Sums in blocks of 64 numbers or in order would differ in the last digit.
TEST(Significance, SumsAsNumpyDoes) {
  std::vector<double> scores;
  for (int n = 100; n > 0; --n) scores.push_back(1.0 / n);
  EXPECT_EQ(confidence_interval(scores, false, Mean::kPairwise).mean, 0.0518737751763962);
}

TEST(Significance, GivesASystemTheSameResamplesAloneAsAmongOthers) {
  const Chrf chrf({.word_order = 2});  // 24 columns per system, more than fit in one slice of rows
  auto systems = example(chrf);
  systems.push_back(systems[0]);
  const auto together = bootstrap(chrf, systems, {30, kSeed, 2});
  for (size_t system = 0; system < systems.size(); ++system) {
    const auto alone = bootstrap(chrf, std::span(systems).subspan(system, 1), {30, kSeed, 1});
    EXPECT_EQ(alone[0].resampled, together[system].resampled);
    EXPECT_EQ(alone[0].score, together[system].score);
  }
  EXPECT_NE(together[0].resampled, together[1].resampled);
}

/// Scores the sum of the numbers of the drawn sentences.
struct SumOfNumbers final : Metric {
  std::string name() const override { return "sum"; }
  size_t statistics() const override { return 1; }
  void measure(std::string_view,
               std::span<const std::string_view>,
               std::span<double>) const override {}
  double score(std::span<const double> sums) const override { return sums[0]; }
};

// For a test set of this size, at most the draws of 209 resamples are kept in memory.
TEST(Significance, DrawsTheSentencesOfLongTestSetsInOneSequence) {
  Statistics system{1, std::vector<double>(20001)};
  for (size_t sentence = 0; sentence < system.values.size(); ++sentence)
    system.values[sentence] = static_cast<double>(sentence);
  for (const int threads : {1, 3}) {
    const auto scores = bootstrap(SumOfNumbers(), std::span(&system, 1), {212, kSeed, threads});
    Pcg64 generator(kSeed);
    for (const double score : scores[0].resampled) {
      uint64_t sum = 0;
      for (size_t i = 0; i < system.values.size(); ++i) sum += generator.below(20001);
      ASSERT_EQ(score, static_cast<double>(sum));
    }
  }
}

TEST(Significance, RejectsSystemsOfDifferentLengths) {
  auto systems = example(Ter({}));
  systems[1].values.resize(systems[1].values.size() - systems[1].columns);
  EXPECT_THROW(bootstrap(Ter({}), systems, {5, kSeed, 1}), DataError);
}

TEST(Seed, IsAnIntegerOrNone) {
  EXPECT_EQ(parse_seed("7").value, 7U);
  EXPECT_EQ(parse_seed("0").label, "0");
  EXPECT_EQ(parse_seed("none").label, "none");
  for (const char* text : {"", "-1", "1.5", "7x", " 7"}) EXPECT_THROW(parse_seed(text), UsageError);
}

/// A number that does not fit in single precision.
constexpr double kOdd = (1 << 24) + 1;

/// Each sentence counts kOdd, or kOdd + 1 if the hypothesis is "x".
struct OddCounts final : Metric {
  std::string name() const override { return "odd counts"; }
  bool higher_is_better() const override { return false; }
  size_t statistics() const override { return 1; }
  void measure(std::string_view hypothesis,
               std::span<const std::string_view>,
               std::span<double> row) const override {
    row[0] = kOdd + (hypothesis == "x" ? 1 : 0);
  }
  double score(std::span<const double> sums) const override { return sums[0]; }
};

TEST(Significance, SumsInDoublePrecisionUnlessAMetricAsksForSingle) {
  const std::vector<Lines> references = {Lines(9, "")};
  const std::vector<Statistics> systems = {
      collect_statistics(OddCounts(), Lines(9, "y"), references, 1),
      collect_statistics(OddCounts(), Lines(9, "x"), references, 1)};
  const auto scores = bootstrap(OddCounts(), systems, {30, kSeed, 1});
  for (const double score : scores[0].resampled) EXPECT_EQ(score, 9 * kOdd);
  for (const double score : scores[1].resampled) EXPECT_EQ(score, 9 * (kOdd + 1));
  const auto paired = paired_bootstrap(OddCounts(), scores[0], scores[1]);
  EXPECT_EQ(paired.interval.mean, 9 * (kOdd + 1));
  EXPECT_EQ(paired.koehn_p_value, 0);
  EXPECT_LT(paired_randomization(OddCounts(), systems[0], systems[1], {1000, kSeed, 2}), 0.02);
}

}  // namespace
}  // namespace phraseq::score

#include "core/score/report/evaluation.h"

#include "core/score/report/signature.h"

namespace phraseq::score {
namespace {

/// The results of all systems by one metric; each system except the first is compared to the first.
std::vector<Result> compare_to_first(const Metric& metric,
                                     const std::vector<Statistics>& systems,
                                     PairedTest test,
                                     const Sampling& sampling) {
  const auto& [samples, seed, threads] = sampling;
  std::vector<Result> results;
  if (test == PairedTest::kBootstrap) {
    const auto scores = bootstrap(metric, systems, {samples, seed.value, threads});
    for (const auto& score : scores) {
      const auto paired = paired_bootstrap(metric, scores.front(), score);
      results.push_back({score.score, paired.p_value, paired.interval});
    }
  } else {
    for (const auto& system : systems) results.push_back({metric.score(system.sums()), {}, {}});
  }
  if (test == PairedTest::kRandomization) {
    for (size_t system = 1; system < systems.size(); ++system) {
      results[system].p_value = paired_randomization(
          metric, systems.front(), systems[system], {samples, seed.value, threads});
    }
  }
  results.front().p_value.reset();
  return results;
}

SignatureContext signature_context(size_t references, PairedTest test, const Sampling& sampling) {
  SignatureContext context;
  context.references = references;
  if (test == PairedTest::kBootstrap)
    context.bootstrap = sampling.samples;
  if (test == PairedTest::kRandomization)
    context.randomization = sampling.samples;
  if (test != PairedTest::kNone)
    context.seed = sampling.seed.label;
  return context;
}

}  // namespace

Score score_corpus(const Metric& metric,
                   const Lines& hypotheses,
                   std::span<const Lines> references,
                   const Sampling& sampling) {
  const bool confidence = sampling.samples > 1;
  const auto context = signature_context(
      references.size(), confidence ? PairedTest::kBootstrap : PairedTest::kNone, sampling);
  const auto statistics = collect_statistics(metric, hypotheses, references, sampling.threads);
  const auto sums = statistics.sums();
  Score score{metric.name(),
              metric.score(sums),
              metric.detail(sums),
              std::nullopt,
              signature_fields(metric, context)};
  if (confidence) {
    const auto bootstrapped = bootstrap(metric,
                                        std::span(&statistics, 1),
                                        {sampling.samples, sampling.seed.value, sampling.threads});
    const bool single = metric.resample_precision() == ResamplePrecision::kSingle;
    score.interval = confidence_interval(bootstrapped.front().resampled, single, Mean::kExact);
  }
  return score;
}

std::vector<Score> score_system(const Metrics& metrics,
                                const Lines& hypotheses,
                                std::span<const Lines> references,
                                const Sampling& sampling) {
  std::vector<Score> scores;
  for (const auto& metric : metrics)
    scores.push_back(score_corpus(*metric, hypotheses, references, sampling));
  return scores;
}

std::vector<Score> score_sentences(const Metric& metric,
                                   const Lines& hypotheses,
                                   std::span<const Lines> references,
                                   int threads) {
  const auto statistics = collect_statistics(metric, hypotheses, references, threads);
  SignatureContext context;
  context.references = references.size();
  const auto signature = signature_fields(metric, context);
  std::vector<Score> scores;
  for (size_t sentence = 0; sentence < statistics.sentences(); ++sentence) {
    const auto row = statistics.row(sentence);
    scores.push_back(
        {metric.name(), metric.score(row), metric.detail(row), std::nullopt, signature});
  }
  return scores;
}

ResultsTable score_systems(const Metrics& metrics,
                           std::span<const System> systems,
                           std::span<const Lines> references,
                           PairedTest test,
                           const Sampling& sampling,
                           bool short_signatures) {
  ResultsTable table;
  table.test = test;
  table.samples = sampling.samples;
  for (const auto& system : systems) table.systems.push_back(system.name);
  table.results.resize(systems.size());
  const auto context = signature_context(references.size(), test, sampling);
  for (const auto& metric : metrics) {
    table.metrics.push_back(metric->name());
    table.signatures.push_back(
        format_signature(signature_fields(*metric, context), short_signatures));
    std::vector<Statistics> statistics;
    for (const auto& system : systems) {
      statistics.push_back(collect_statistics(*metric, system.lines, references, sampling.threads));
    }
    const auto results = compare_to_first(*metric, statistics, test, sampling);
    for (size_t system = 0; system < systems.size(); ++system)
      table.results[system].push_back(results[system]);
  }
  return table;
}

}  // namespace phraseq::score

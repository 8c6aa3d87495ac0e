#include "core/score/evaluation.h"

namespace phraseq::score {
namespace {

double score_of(const CorpusMetric& metric, const std::vector<double>& sums) {
  return metric.score(std::span<const double>(sums));
}

/// The result of `system` beside that of `baseline`; the baseline itself is compared to nothing.
Result paired_result(const CorpusMetric& metric,
                     const Statistics& baseline,
                     const Statistics& system,
                     PairedTest test,
                     const Sampling& sampling) {
  Result result{score_of(metric, system.sums()), std::nullopt, std::nullopt};
  const auto& [samples, seed, threads] = sampling;
  const bool is_baseline = &system == &baseline;
  if (test == PairedTest::kBootstrap && is_baseline) {
    const auto scores = bootstrap_scores(metric, system, samples, seed.value, threads);
    result.interval = confidence_interval(scores, metric.resamples_in_single(), Mean::kPairwise);
  } else if (test == PairedTest::kBootstrap) {
    const auto paired = paired_bootstrap(metric, baseline, system, samples, seed.value, threads);
    result.interval = paired.interval;
    result.p_value = paired.p_value;
  } else if (test == PairedTest::kRandomization && !is_baseline) {
    result.p_value = paired_randomization(metric, baseline, system, samples, seed.value, threads);
  }
  return result;
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

std::vector<Score> score_system(const Metrics& metrics,
                                const Lines& hypotheses,
                                std::span<const Lines> references,
                                const Sampling& sampling) {
  const bool confidence = sampling.samples > 1;
  const auto context = signature_context(
      references.size(), confidence ? PairedTest::kBootstrap : PairedTest::kNone, sampling);
  std::vector<Score> scores;
  for (const auto& metric : metrics) {
    const auto statistics = collect_statistics(*metric, hypotheses, references, sampling.threads);
    const auto sums = statistics.sums();
    Score score{metric->name(),
                score_of(*metric, sums),
                metric->detail(sums),
                std::nullopt,
                signature_fields(*metric, context)};
    if (confidence) {
      const auto resampled = bootstrap_scores(
          *metric, statistics, sampling.samples, sampling.seed.value, sampling.threads);
      score.interval = confidence_interval(resampled, metric->resamples_in_single(), Mean::kExact);
    }
    scores.push_back(std::move(score));
  }
  return scores;
}

std::vector<Score> score_sentences(const CorpusMetric& metric,
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
    for (size_t system = 0; system < systems.size(); ++system) {
      table.results[system].push_back(
          paired_result(*metric, statistics.front(), statistics[system], test, sampling));
    }
  }
  return table;
}

}  // namespace phraseq::score

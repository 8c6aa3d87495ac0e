#include "core/score/compare/compared_scores.h"

#include <algorithm>
#include <random>
#include <span>

#include "core/score/report/signature.h"

namespace phraseq::score {

std::vector<Statistics> collect_outputs(const Metric& metric,
                                        const ScoreInput& input,
                                        int threads) {
  std::vector<Statistics> statistics;
  for (const auto& system : input.systems) {
    statistics.push_back(collect_statistics(metric, system.lines, input.references, threads));
  }
  return statistics;
}

/// The p-value of equal scores is 1. For these, sacrebleu's formula, which is meant for different
/// systems, would give the lowest possible p-value.
std::vector<ComparedScore> compare_statistics(const Metric& metric,
                                              const std::vector<Statistics>& outputs,
                                              const std::vector<SystemOutputs>& systems,
                                              const Sampling& sampling) {
  const auto bootstrapped =
      bootstrap(metric, outputs, {sampling.samples, sampling.seed.value, sampling.threads});
  std::mt19937_64 random(sampling.seed.value);
  std::span<const BootstrappedScore> rest(bootstrapped);
  std::optional<BootstrappedScore> baseline;
  std::vector<ComparedScore> scores;
  for (const SystemOutputs& system : systems) {
    const auto own = rest.first(system.files.size());
    rest = rest.subspan(own.size());
    const BootstrappedScore combined = combine_outputs(own, random);
    const auto paired = paired_bootstrap(metric, baseline ? *baseline : combined, combined);
    ComparedScore& score = scores.emplace_back();
    score.score = combined.score;
    for (const BootstrappedScore& output : own) score.outputs.push_back(output.score);
    score.interval = paired.interval;
    if (baseline) {
      score.p_value = combined.score == baseline->score ? 1.0 : paired.p_value;
      score.koehn_p_value = paired.koehn_p_value;
    } else {
      baseline = combined;
    }
  }
  if (outputs.front().sentences() == 1)
    drop_tests(scores);
  return scores;
}

void drop_tests(std::vector<ComparedScore>& scores) {
  for (ComparedScore& score : scores) {
    score.p_value.reset();
    score.koehn_p_value.reset();
  }
}

std::vector<BucketScores> make_buckets(const std::vector<int64_t>& edges) {
  std::vector<BucketScores> buckets(edges.size() + 1);
  for (size_t edge = 0; edge < edges.size(); ++edge) {
    buckets[edge].to = edges[edge];
    buckets[edge + 1].from = edges[edge];
  }
  return buckets;
}

size_t bucket_of(int64_t value, const std::vector<int64_t>& edges) {
  const auto above = std::upper_bound(edges.begin(), edges.end(), value);
  return static_cast<size_t>(above - edges.begin());
}

std::string comparison_signature(const Metric& metric,
                                 size_t references,
                                 const Sampling& sampling) {
  SignatureContext context;
  context.references = references;
  context.bootstrap = sampling.samples;
  context.seed = sampling.seed.label;
  return format_signature(signature_fields(metric, context), /*short_form=*/false);
}

}  // namespace phraseq::score

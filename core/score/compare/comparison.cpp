#include "core/score/compare/comparison.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/counted.h"
#include "core/score/report/signature.h"
#include "core/text/unicode.h"

namespace phraseq::score {
namespace {

/// The systems' scores from their statistics, the first being the baseline. Of equal scores the
/// p-value is 1: sacrebleu's formula, made for different systems, gives its lowest one.
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
  return scores;
}

std::vector<Statistics> collect(const Metric& metric, const ScoreInput& input, int threads) {
  std::vector<Statistics> statistics;
  for (const auto& system : input.systems) {
    statistics.push_back(collect_statistics(metric, system.lines, input.references, threads));
  }
  return statistics;
}

Statistics select_rows(const Statistics& all, const std::vector<size_t>& sentences) {
  Statistics selected;
  selected.columns = all.columns;
  for (const size_t sentence : sentences) {
    const auto row = all.row(sentence);
    selected.values.insert(selected.values.end(), row.begin(), row.end());
  }
  return selected;
}

int64_t length_of(const std::string& line, LengthUnit unit) {
  const size_t length =
      unit == LengthUnit::kWords ? split_whitespace(line).size() : to_code_points(line).size();
  return static_cast<int64_t>(length);
}

/// The sentences of each bucket.
std::vector<std::vector<size_t>> fill_buckets(const Buckets& buckets) {
  std::vector<std::vector<size_t>> sentences(buckets.edges.size() + 1);
  for (size_t line = 0; line < buckets.text->size(); ++line) {
    const int64_t length = length_of((*buckets.text)[line], buckets.unit);
    const auto above = std::upper_bound(buckets.edges.begin(), buckets.edges.end(), length);
    sentences[static_cast<size_t>(above - buckets.edges.begin())].push_back(line);
  }
  return sentences;
}

void check_lines(const Buckets& buckets, const ScoreInput& input) {
  const auto& system = input.systems.front();
  if (buckets.text->size() == system.lines.size())
    return;
  throw DataError(fmt::format("{} has {}, the {} has {}",
                              system.name,
                              counted(static_cast<int64_t>(system.lines.size()), "line"),
                              buckets.title,
                              buckets.text->size()),
                  "Lengths are taken from the same line number of both files; nothing was scored.");
}

/// All resamples of one sentence are equal, so a test of it means nothing.
void drop_tests(std::vector<ComparedScore>& scores) {
  for (ComparedScore& score : scores) {
    score.p_value.reset();
    score.koehn_p_value.reset();
  }
}

std::vector<BucketScores> score_buckets(const Metric& metric,
                                        const ScoreInput& input,
                                        const std::vector<SystemOutputs>& systems,
                                        const Buckets& buckets,
                                        const Sampling& sampling) {
  const auto statistics = collect(metric, input, sampling.threads);
  const auto sentences = fill_buckets(buckets);
  std::vector<BucketScores> scores;
  for (size_t bucket = 0; bucket < sentences.size(); ++bucket) {
    BucketScores& result = scores.emplace_back();
    if (bucket > 0)
      result.from = buckets.edges[bucket - 1];
    if (bucket < buckets.edges.size())
      result.to = buckets.edges[bucket];
    result.sentences = sentences[bucket].size();
    if (sentences[bucket].empty())
      continue;
    std::vector<Statistics> selected;
    for (const auto& output : statistics)
      selected.push_back(select_rows(output, sentences[bucket]));
    result.systems = compare_statistics(metric, selected, systems, sampling);
    if (result.sentences == 1)
      drop_tests(result.systems);
  }
  return scores;
}

void note_direction(const Metric& metric, Comparison& comparison) {
  auto& names = comparison.lower_is_better;
  const bool noted = std::find(names.begin(), names.end(), metric.name()) != names.end();
  if (!metric.higher_is_better() && !noted)
    names.push_back(metric.name());
}

SignatureContext signature_context(const ScoreInput& input, const Sampling& sampling) {
  SignatureContext context;
  context.references = input.references.size();
  context.bootstrap = sampling.samples;
  context.seed = sampling.seed.label;
  return context;
}

/// Adds the scores of all systems by a metric.
void add_scores(const Metric& metric,
                const ScoreInput& input,
                const std::vector<SystemOutputs>& systems,
                const SignatureContext& context,
                Comparison& comparison) {
  const Sampling& sampling = comparison.sampling;
  comparison.metrics.push_back(metric.name());
  comparison.signatures.push_back(
      format_signature(signature_fields(metric, context), /*short_form=*/false));
  note_direction(metric, comparison);
  const auto scores =
      compare_statistics(metric, collect(metric, input, sampling.threads), systems, sampling);
  for (size_t system = 0; system < scores.size(); ++system)
    comparison.scores[system].push_back(scores[system]);
}

}  // namespace

Comparison compare(const Metrics& metrics,
                   const Metric& bucket_metric,
                   const ScoreInput& input,
                   const std::vector<SystemOutputs>& systems,
                   const Buckets& buckets,
                   const Sampling& sampling) {
  check_lines(buckets, input);
  Comparison result;
  result.sampling = sampling;
  for (const auto& system : systems) result.systems.push_back(system.name);
  result.scores.resize(systems.size());
  const SignatureContext context = signature_context(input, sampling);
  for (const auto& metric : metrics) add_scores(*metric, input, systems, context, result);
  result.length_title = fmt::format("{} length in {}",
                                    buckets.title,
                                    buckets.unit == LengthUnit::kWords ? "words" : "characters");
  result.bucket_metric = bucket_metric.name();
  note_direction(bucket_metric, result);
  result.bucket_signature =
      format_signature(signature_fields(bucket_metric, context), /*short_form=*/false);
  result.buckets = score_buckets(bucket_metric, input, systems, buckets, sampling);
  return result;
}

}  // namespace phraseq::score

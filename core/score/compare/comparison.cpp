#include "core/score/compare/comparison.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/counted.h"
#include "core/text/unicode.h"

namespace phraseq::score {
namespace {

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

/// The indices of the sentences in each bucket.
std::vector<std::vector<size_t>> fill_buckets(const Buckets& buckets) {
  std::vector<std::vector<size_t>> sentences(buckets.edges.size() + 1);
  for (size_t line = 0; line < buckets.text->size(); ++line) {
    const int64_t length = length_of((*buckets.text)[line], buckets.unit);
    sentences[bucket_of(length, buckets.edges)].push_back(line);
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

BucketTable compare_by_length(const Metric& metric,
                              const ScoreInput& input,
                              const std::vector<SystemOutputs>& systems,
                              const Buckets& buckets,
                              const Sampling& sampling) {
  BucketTable table;
  table.metric = metric.name();
  table.signature = comparison_signature(metric, input.references.size(), sampling);
  table.by = fmt::format("{} length in {}",
                         buckets.title,
                         buckets.unit == LengthUnit::kWords ? "words" : "characters");
  table.unit = "sentences";
  table.rows = make_buckets(buckets.edges);
  const auto statistics = collect_outputs(metric, input, sampling.threads);
  const auto sentences = fill_buckets(buckets);
  for (size_t bucket = 0; bucket < sentences.size(); ++bucket) {
    BucketScores& result = table.rows[bucket];
    result.size = sentences[bucket].size();
    if (sentences[bucket].empty())
      continue;
    std::vector<Statistics> selected;
    for (const auto& output : statistics)
      selected.push_back(select_rows(output, sentences[bucket]));
    result.systems = compare_statistics(metric, selected, systems, sampling);
  }
  return table;
}

void note_direction(const Metric& metric, Comparison& comparison) {
  auto& names = comparison.lower_is_better;
  const bool noted = std::find(names.begin(), names.end(), metric.name()) != names.end();
  if (!metric.higher_is_better() && !noted)
    names.push_back(metric.name());
}

/// Adds the scores of all systems by one metric.
void add_scores(const Metric& metric,
                const ScoreInput& input,
                const std::vector<SystemOutputs>& systems,
                Comparison& comparison) {
  const Sampling& sampling = comparison.sampling;
  comparison.metrics.push_back(metric.name());
  comparison.signatures.push_back(comparison_signature(metric, input.references.size(), sampling));
  note_direction(metric, comparison);
  const auto scores = compare_statistics(
      metric, collect_outputs(metric, input, sampling.threads), systems, sampling);
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
  for (const auto& metric : metrics) add_scores(*metric, input, systems, result);
  note_direction(bucket_metric, result);
  result.lengths = compare_by_length(bucket_metric, input, systems, buckets, sampling);
  return result;
}

}  // namespace phraseq::score

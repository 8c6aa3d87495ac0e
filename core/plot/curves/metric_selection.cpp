#include "core/plot/curves/metric_selection.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/wording/close_matches.h"
#include "core/plot/curves/metric_title.h"

namespace phraseq::plot {
namespace {

std::set<std::string> scores_of(const std::vector<LabeledRun>& runs) {
  std::set<std::string> names;
  for (const auto& run : runs) names.insert(run.metrics.scores.begin(), run.metrics.scores.end());
  return names;
}

std::set<std::string> measured_by(const std::vector<LabeledRun>& runs) {
  std::set<std::string> names;
  for (const auto& run : runs) {
    for (const auto* part :
         {&run.metrics.intervals, &run.metrics.epochs, &run.metrics.validations}) {
      for (const auto& [name, points] : *part) {
        if (!points.empty())
          names.insert(name);
      }
    }
  }
  return names;
}

std::string recorded_ones(const std::set<std::string>& measured) {
  return fmt::format(
      "Recorded: {}. 'phraseq train --eval-bleu' records the score of translations, and "
      "--report-accuracy the accuracy.",
      fmt::join(measured, ", "));
}

[[noreturn]] void refuse_metric(const std::string& name, const std::set<std::string>& measured) {
  const std::vector<std::string> known(measured.begin(), measured.end());
  const std::string guess = did_you_mean(name, known);
  throw UsageError(
      fmt::format(
          "--metrics {}: no run has recorded it{}{}", name, guess.empty() ? "" : "; ", guess),
      recorded_ones(measured));
}

void add_once(std::vector<std::string>& keys, const std::string& key) {
  if (std::find(keys.begin(), keys.end(), key) == keys.end())
    keys.push_back(key);
}

/// The scores of translations that `key` selects: one, all ("score"), or none.
std::vector<std::string> selected_scores(const std::string& key,
                                         const std::set<std::string>& scores) {
  for (const std::string& known : scores) {
    if (metric_key(known) == key)
      return {known};
  }
  return key == "score" ? std::vector<std::string>(scores.begin(), scores.end())
                        : std::vector<std::string>();
}

void select_measurement(const std::string& name,
                        const std::set<std::string>& measured,
                        MetricSelection& selection) {
  const std::string key = metric_key(name);
  if (measured.contains(name) || measured.contains(key))
    add_once(selection.keys, measured.contains(name) ? name : key);
  else if (key == "score")
    selection.missing.emplace_back("score (train --eval-bleu records it)");
  else if (is_known_metric(key))
    selection.missing.push_back(key);
  else
    refuse_metric(name, measured);
}

}  // namespace

MetricSelection select_metrics(const std::vector<LabeledRun>& runs,
                               const std::vector<std::string>& wanted) {
  const auto scores = scores_of(runs);
  const auto measured = measured_by(runs);
  MetricSelection selection;
  for (const auto& name : wanted) {
    const auto selected = selected_scores(metric_key(name), scores);
    for (const auto& score : selected) add_once(selection.keys, score);
    if (selected.empty())
      select_measurement(name, measured, selection);
  }
  if (selection.keys.empty()) {
    std::vector<std::string> files;
    for (const auto& run : runs) files.push_back(run.metrics.path);
    throw DataError(
        fmt::format("{}: no measurements of {}", fmt::join(files, ", "), fmt::join(wanted, ", ")),
        measured.empty() ? "Training records measurements every --log-interval updates and at the "
                           "end of each epoch."
                         : recorded_ones(measured));
  }
  return selection;
}

std::string run_label(const std::string& run) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path path = fs::absolute(run, ignored).lexically_normal();
  if (path.filename() == "metrics.jsonl")
    path = path.parent_path();
  if (path.filename().empty())  // "run/"
    path = path.parent_path();
  return path.filename().empty() ? run : path.filename().string();
}

}  // namespace phraseq::plot

#include "core/analysis/activation.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/options/enum_name.h"
#include "core/plot/bar_chart.h"
#include "core/plot/chart.h"

namespace phraseq::analysis {
namespace {

/// The index of a quadrant, from 0 to 3: t2t, t2p, p2t, p2p.
size_t quadrant(const AttentionWeights& weights, size_t query_kind, size_t key_kind) {
  return (weights.query_ngrams[query_kind] > 1 ? 2 : 0) +
         (weights.key_ngrams[key_kind] > 1 ? 1 : 0);
}

/// Calls visit(quadrant, weight) for one head and all n-grams that end at one query token.
template <class Visit>
void for_each_weight(const AttentionWeights& weights,
                     int64_t head,
                     int64_t query,
                     const Visit& visit) {
  for (size_t query_kind = 0; query_kind < weights.query_ngrams.size(); ++query_kind) {
    if (!weights.has_row(query_kind, query))
      continue;
    for (size_t key_kind = 0; key_kind < weights.key_ngrams.size(); ++key_kind) {
      const size_t place = quadrant(weights, query_kind, key_kind);
      for (int64_t key = 0; key < weights.keys; ++key)
        visit(place, weights.at(query_kind, head, query, key_kind, key));
    }
  }
}

void add_peak(const AttentionWeights& weights, int64_t head, int64_t query, Quadrants& points) {
  Quadrants largest{};
  for_each_weight(weights, head, query, [&](size_t place, float weight) {
    largest[place] = std::max(largest[place], static_cast<double>(weight));
  });
  const auto best = std::max_element(largest.begin(), largest.end());  // the first one if equal
  if (*best > 0)
    points[static_cast<size_t>(best - largest.begin())] += 1;
}

Quadrants count(const AttentionWeights& weights, ActivationStatistic statistic, double threshold) {
  Quadrants points{};
  for (int64_t head = 0; head < weights.heads; ++head) {
    for (int64_t query = 0; query < weights.queries; ++query) {
      if (statistic == ActivationStatistic::kPeak) {
        add_peak(weights, head, query, points);
        continue;
      }
      for_each_weight(weights, head, query, [&](size_t place, float weight) {
        const bool reaches = static_cast<double>(weight) >= threshold;
        points[place] += statistic == ActivationStatistic::kMass ? static_cast<double>(weight)
                         : reaches                               ? 1.0
                                                                 : 0.0;
      });
    }
  }
  return points;
}

}  // namespace

Quadrants activation_of(const AttentionWeights& weights,
                        ActivationStatistic statistic,
                        double threshold) {
  Quadrants points = count(weights, statistic, threshold);
  const double total = std::accumulate(points.begin(), points.end(), 0.0);
  if (total > 0) {
    for (double& share : points) share /= total;
  }
  return points;
}

void ActivationTable::add(const RecordedSentence& sentence) {
  for (const auto& weights : attention_weights(sentence, place_)) {
    const Quadrants shares = activation_of(weights, statistic_, threshold_);
    Sum& sum = layers_[weights.layer];
    if (std::accumulate(shares.begin(), shares.end(), 0.0) == 0)
      continue;
    ++sum.sentences;
    for (size_t i = 0; i < shares.size(); ++i) sum.shares[i] += shares[i];
  }
}

std::vector<ActivationTable::Row> ActivationTable::rows() const {
  std::vector<Row> rows;
  for (const auto& [layer, sum] : layers_) {
    Row row{layer, sum.sentences, {}};
    for (size_t i = 0; i < row.shares.size(); ++i) {
      if (sum.sentences > 0)
        row.shares[i] = sum.shares[i] / static_cast<double>(sum.sentences);
    }
    rows.push_back(row);
  }
  return rows;
}

std::string ActivationTable::title() const {
  std::string statistic(enum_name(kActivationStatisticNames, statistic_));
  if (statistic_ == ActivationStatistic::kThreshold)
    statistic += fmt::format(" {}", threshold_);
  return fmt::format("{}: activation ({})", title_of(place_), statistic);
}

std::string ActivationTable::text() const {
  std::string text = fmt::format("{}, %\nlayer", title());
  for (const char* name : kQuadrantNames) text += fmt::format("{:>8}", name);
  text += "  sentences\n";
  for (const Row& row : rows()) {
    text += fmt::format("{:>5}", row.layer);
    for (const double share : row.shares)
      text += row.sentences == 0 ? fmt::format("{:>8}", "-") : fmt::format("{:>8.2f}", 100 * share);
    text += fmt::format("{:>11}\n", row.sentences);
  }
  return text;
}

std::string ActivationTable::json() const {
  nlohmann::ordered_json result = {{"statistic", enum_name(kActivationStatisticNames, statistic_)}};
  if (statistic_ == ActivationStatistic::kThreshold)
    result["threshold"] = threshold_;
  result["attention"] = to_string(place_);
  result["layers"] = nlohmann::ordered_json::array();
  for (const Row& row : rows()) {
    nlohmann::ordered_json entry = {{"layer", row.layer}, {"sentences", row.sentences}};
    for (size_t i = 0; i < row.shares.size(); ++i)
      entry[kQuadrantNames[i]] =
          row.sentences == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(row.shares[i]);
    result["layers"].push_back(entry);
  }
  return result.dump(1) + '\n';
}

plot::Svg ActivationTable::plot() const {
  plot::Chart chart;
  chart.title = title();
  chart.category_title = "layer";
  chart.value_title = "%";
  chart.highest = 100;
  for (const char* name : kQuadrantNames) chart.series.push_back({name, {}});
  for (const Row& row : rows()) {
    chart.categories.push_back({std::to_string(row.layer), ""});
    for (size_t i = 0; i < row.shares.size(); ++i) {
      const double percent = 100 * row.shares[i];
      chart.series[i].values.push_back(plot::ChartValue{
          percent, {}, {}, row.sentences == 0 ? "-" : fmt::format("{:.1f}", percent)});
    }
  }
  return bar_chart(chart);
}

}  // namespace phraseq::analysis

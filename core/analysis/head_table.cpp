#include "core/analysis/head_table.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/plot/bar_chart.h"
#include "core/plot/chart.h"

namespace phraseq::analysis {
namespace {

constexpr const char* kTitle = "Increase of the loss without one head";

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// "+0.1234"; zero has no minus, whatever it was before it was rounded.
std::string signed_text(double value) {
  const std::string text = fmt::format("{:+.4f}", value);
  return text == "-0.0000" ? "+0.0000" : text;
}

}  // namespace

void HeadTable::add(const HeadsOfModule& module, const std::vector<double>& losses) {
  rows_.push_back({module, losses});
}

size_t HeadTable::most_heads() const {
  size_t most = 0;
  for (const Row& row : rows_) most = std::max(most, row.losses.size());
  return most;
}

/// A line for each combination of an attention and the lengths of n-grams that heads attend to;
/// nothing if all heads attend to single tokens.
std::string HeadTable::means_by_ngrams() const {
  using Kind = std::pair<std::string, std::set<int64_t>>;
  std::vector<Kind> order;
  std::map<Kind, std::vector<double>> increases;
  for (const auto& [module, losses] : rows_) {
    for (size_t head = 0; head < losses.size(); ++head) {
      const Kind kind = {module.attention, module.ngrams[head]};
      if (!increases.contains(kind))
        order.push_back(kind);
      increases[kind].push_back(losses[head] - loss_);
    }
  }
  const auto is_of_tokens = [](const Kind& kind) { return kind.second == std::set<int64_t>{1}; };
  if (std::all_of(order.begin(), order.end(), is_of_tokens))
    return "";
  std::string text = "\nattention        n-grams  heads     mean\n";
  for (const Kind& kind : order) {
    text += fmt::format("{:<15}{:>9}{:>7}{:>9}\n",
                        kind.first,
                        fmt::format("{}", fmt::join(kind.second, ",")),
                        increases[kind].size(),
                        signed_text(mean_of(increases[kind])));
  }
  return text;
}

std::string HeadTable::text() const {
  std::string text = fmt::format(
      "Loss with all heads: {:.4f} bits per token\n{}, in bits per token\n"
      "attention      layer",
      loss_,
      kTitle);
  for (size_t head = 1; head <= most_heads(); ++head)
    text += fmt::format("{:>9}", fmt::format("head {}", head));
  text += '\n';
  for (const auto& [module, losses] : rows_) {
    text += fmt::format("{:<15}{:>5}", module.attention, module.layer);
    for (const double loss : losses) text += fmt::format("{:>9}", signed_text(loss - loss_));
    text += '\n';
  }
  return text + means_by_ngrams();
}

std::string HeadTable::json() const {
  nlohmann::ordered_json result = {{"loss", loss_}, {"heads", nlohmann::ordered_json::array()}};
  for (const auto& [module, losses] : rows_) {
    for (size_t head = 0; head < losses.size(); ++head) {
      result["heads"].push_back({{"attention", module.attention},
                                 {"layer", module.layer},
                                 {"head", head + 1},
                                 {"ngrams", module.ngrams[head]},
                                 {"loss", losses[head]},
                                 {"increase", losses[head] - loss_}});
    }
  }
  return result.dump(1) + '\n';
}

plot::Svg HeadTable::plot() const {
  plot::Chart chart;
  chart.title = kTitle;
  chart.category_title = "attention, layer";
  chart.value_title = "bits per token";
  for (size_t head = 1; head <= most_heads(); ++head)
    chart.series.push_back({fmt::format("head {}", head), {}});
  for (const auto& [module, losses] : rows_) {
    chart.categories.push_back({fmt::format("{} {}", module.attention, module.layer), ""});
    for (size_t head = 0; head < chart.series.size(); ++head) {
      auto& bar = chart.series[head].values.emplace_back();
      if (head < losses.size())
        bar = plot::ChartValue{losses[head] - loss_, {}, {}, ""};
    }
  }
  return bar_chart(chart);
}

}  // namespace phraseq::analysis

#include "core/analysis/constituents.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/plot/bar_chart.h"
#include "core/plot/chart.h"

namespace phraseq::analysis {
namespace {

/// The number of source tokens before the tree's first one: 1 for <s>, otherwise 0. </s> follows
/// the tree's last token.
int64_t offset_of(const RecordedSentence& sentence, const SubwordTree& tree) {
  const auto tokens = static_cast<int64_t>(sentence.source.size());
  const int64_t offset = tokens - 1 - tree.subwords;
  if (offset == 0 || offset == 1)
    return offset;
  throw DataError(fmt::format("sentence {}: the tree covers {} tokens, but the source has {}",
                              sentence.id + 1,
                              tree.subwords,
                              tokens - 1),
                  "Give trees of the whole sentences of --source.");
}

/// The tokens of the key with the largest weight for a query; among equal weights, of the first
/// key.
TokenSpan used_key(const AttentionWeights& weights,
                   const std::vector<int64_t>& phrase_offsets,
                   size_t query_kind,
                   int64_t head,
                   int64_t query) {
  size_t best_kind = 0;
  int64_t best_key = 0;
  for (size_t kind = 0; kind < weights.key_ngrams.size(); ++kind) {
    for (int64_t key = 0; key < weights.keys; ++key) {
      if (weights.at(query_kind, head, query, kind, key) >
          weights.at(query_kind, head, query, best_kind, best_key)) {
        best_kind = kind;
        best_key = key;
      }
    }
  }
  if (!phrase_offsets.empty()) {
    const auto phrase = static_cast<size_t>(best_key);
    return {phrase_offsets.at(phrase), phrase_offsets.at(phrase + 1)};
  }
  return {std::max<int64_t>(0, best_key - weights.key_ngrams[best_kind] + 1), best_key + 1};
}

double percent(int64_t part, int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

/// A percentage with two decimals; "-" if the whole is 0.
std::string cell(double percentage, int64_t whole) {
  return whole > 0 ? fmt::format("{:.2f}", percentage) : "-";
}

}  // namespace

std::set<TokenSpan> constituents_of(const SubwordTree& tree, int64_t offset) {
  std::vector<int64_t> ends(tree.nodes.size(), 0);
  for (size_t i = tree.nodes.size(); i-- > 0;) {  // children follow their parents
    const auto& node = tree.nodes[i];
    if (node.children == 0)
      ends[i] = i + 1 < tree.nodes.size() ? tree.nodes[i + 1].first : tree.subwords;
    if (node.parent >= 0) {
      int64_t& end = ends[static_cast<size_t>(node.parent)];
      end = std::max(end, ends[i]);
    }
  }
  std::set<TokenSpan> spans;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    if (ends[i] - tree.nodes[i].first > 1)
      spans.emplace(tree.nodes[i].first + offset, ends[i] + offset);
  }
  return spans;
}

void ConstituentTable::add(const RecordedSentence& sentence, const std::vector<int64_t>& code) {
  const SubwordTree tree = SubwordTree::decode(code);
  if (!tree.is_parsed()) {
    ++without_tree_;
    return;
  }
  ++sentences_;
  const auto constituents = constituents_of(tree, offset_of(sentence, tree));
  count_all(static_cast<int64_t>(sentence.source.size()), constituents);
  const auto& phrases = sentence.phrase_offsets;
  for (const auto& weights : phrases.empty() ? attention_weights(sentence, place_)
                                             : phrase_attention_weights(sentence, place_))
    count_used(weights, phrases, constituents);
}

void ConstituentTable::count_all(int64_t tokens, const std::set<TokenSpan>& constituents) {
  for (int64_t n = 2; n <= tokens; ++n) possible_[n].all += tokens - n + 1;
  for (const auto& [first, end] : constituents) ++possible_[end - first].constituents;
}

void ConstituentTable::count_used(const AttentionWeights& weights,
                                  const std::vector<int64_t>& phrase_offsets,
                                  const std::set<TokenSpan>& constituents) {
  Layer& layer = layers_[weights.layer];
  for (size_t kind = 0; kind < weights.query_ngrams.size(); ++kind) {
    for (int64_t head = 0; head < weights.heads; ++head) {
      for (int64_t query = 0; query < weights.queries; ++query) {
        if (!weights.has_row(kind, query))
          continue;
        const TokenSpan span = used_key(weights, phrase_offsets, kind, head, query);
        ++layer.keys;
        if (span.second - span.first < 2)
          continue;
        Count& count = layer.lengths[span.second - span.first];
        ++count.all;
        count.constituents += constituents.contains(span) ? 1 : 0;
      }
    }
  }
}

std::vector<ConstituentTable::Row> ConstituentTable::rows() const {
  std::vector<Row> rows;
  for (const auto& [number, layer] : layers_) {
    Row row{number, layer.keys, 0, 0, 0.0, {}};
    for (const auto& [tokens, count] : layer.lengths) {
      const double chance = possible_.at(tokens).share();
      row.ngrams += count.all;
      row.constituents += count.constituents;
      row.chance += static_cast<double>(count.all) * chance;
      row.lengths.push_back({tokens, count.all, count.constituents, chance});
    }
    if (row.ngrams > 0)
      row.chance /= static_cast<double>(row.ngrams);
    rows.push_back(row);
  }
  return rows;
}

std::string ConstituentTable::text() const {
  std::string text = fmt::format(
      "{}: attended n-grams that are constituents, %\nlayer  n-grams  constituents  chance\n",
      title_of(place_));
  for (const Row& row : rows()) {
    text += fmt::format("{:>5}{:>9}{:>14}{:>8}\n",
                        row.layer,
                        cell(percent(row.ngrams, row.keys), row.keys),
                        cell(percent(row.constituents, row.ngrams), row.ngrams),
                        cell(100 * row.chance, row.ngrams));
  }
  return text + fmt::format("{} sentences, {} without a tree\n", sentences_, without_tree_);
}

std::string ConstituentTable::json() const {
  nlohmann::ordered_json result = {{"attention", to_string(place_)},
                                   {"sentences", sentences_},
                                   {"without_tree", without_tree_},
                                   {"layers", nlohmann::ordered_json::array()}};
  for (const Row& row : rows()) {
    nlohmann::ordered_json entry = {{"layer", row.layer},
                                    {"keys", row.keys},
                                    {"ngrams", row.ngrams},
                                    {"constituents", row.constituents},
                                    {"chance", nullptr},
                                    {"lengths", nlohmann::ordered_json::array()}};
    if (row.ngrams > 0)
      entry["chance"] = row.chance;
    for (const Length& length : row.lengths) {
      entry["lengths"].push_back({{"tokens", length.tokens},
                                  {"used", length.used},
                                  {"constituents", length.constituents},
                                  {"chance", length.chance}});
    }
    result["layers"].push_back(entry);
  }
  return result.dump(1) + '\n';
}

plot::Svg ConstituentTable::plot() const {
  plot::Chart chart;
  chart.title = fmt::format("{}: attended n-grams that are constituents", title_of(place_));
  chart.category_title = "layer";
  chart.value_title = "%";
  chart.highest = 100;
  chart.series = {{"attended n-grams", {}}, {"all n-grams of these lengths", {}}};
  for (const Row& row : rows()) {
    chart.categories.push_back({std::to_string(row.layer), ""});
    const double values[] = {percent(row.constituents, row.ngrams), 100 * row.chance};
    for (size_t i = 0; i < 2; ++i) {
      auto& bar = chart.series[i].values.emplace_back();
      if (row.ngrams > 0)  // otherwise undefined
        bar = plot::ChartValue{values[i], {}, {}, fmt::format("{:.1f}", values[i])};
    }
  }
  return bar_chart(chart);
}

}  // namespace phraseq::analysis

#include "core/analysis/attention_map.h"

#include <algorithm>

#include <fmt/format.h>

namespace phraseq::analysis {
namespace {

std::string ngram_name(int64_t n) {
  constexpr const char* kNames[] = {"words", "bigrams", "trigrams"};
  return n <= 3 ? kNames[n - 1] : fmt::format("{}-grams", n);
}

/// The n-gram that ends at token `last`; shorter at the beginning of the sentence.
std::string ngram_text(const std::vector<std::string>& tokens, int64_t last, int64_t n) {
  std::string text;
  for (int64_t token = std::max<int64_t>(0, last - n + 1); token <= last; ++token)
    text += (text.empty() ? "" : " ") + tokens[static_cast<size_t>(token)];
  return text;
}

bool has_weight(const AttentionWeights& weights, size_t key_kind, int64_t key) {
  for (size_t query_kind = 0; query_kind < weights.query_ngrams.size(); ++query_kind) {
    for (int64_t head = 0; head < weights.heads; ++head) {
      for (int64_t query = 0; query < weights.queries; ++query) {
        if (weights.at(query_kind, head, query, key_kind, key) > 0)
          return true;
      }
    }
  }
  return false;
}

bool has_weight_in_any(const std::vector<AttentionWeights>& layers, size_t key_kind, int64_t key) {
  return std::any_of(layers.begin(), layers.end(), [=](const AttentionWeights& weights) {
    return has_weight(weights, key_kind, key);
  });
}

/// Adds the label of the n-gram that ends at a token to the last group.
void add_label(plot::HeatMapAxis& axis,
               const std::vector<std::string>& tokens,
               int64_t token,
               int64_t n) {
  axis.labels.push_back(ngram_text(tokens, token, n));
  ++axis.groups.back().size;
}

/// Removes the groups if there is only one.
void drop_single_group(plot::HeatMapAxis& axis) {
  if (axis.groups.size() == 1)
    axis.groups.clear();
}

}  // namespace

std::string describe(const AttentionWeights& weights, int64_t head) {
  return fmt::format("layer {}, {}",
                     weights.layer,
                     head == kMeanOfHeads ? "mean over heads" : fmt::format("head {}", head));
}

AttentionMap::AttentionMap(const RecordedSentence& sentence,
                           const std::vector<AttentionWeights>& layers,
                           TargetLabels labels) {
  const AttentionWeights& first = layers.front();
  const bool from_source = first.place == AttentionPlace::kEncoderSelf;
  const bool to_target = first.place == AttentionPlace::kDecoderSelf;
  const bool generated =
      labels == TargetLabels::kGenerated && sentence.generated.size() == sentence.target.size();
  const auto& target_rows = generated ? sentence.generated : sentence.target;
  const auto& queries = from_source ? sentence.source : target_rows;
  const auto& keys = to_target ? sentence.target : sentence.source;
  row_labels_.title = from_source ? "source" : generated ? "generated token" : "decoder input";
  column_labels_.title = to_target ? "decoder input" : "source";
  add_rows(first, queries);
  add_columns(layers, keys);
}

void AttentionMap::add_rows(const AttentionWeights& weights,
                            const std::vector<std::string>& tokens) {
  for (size_t kind = 0; kind < weights.query_ngrams.size(); ++kind) {
    const int64_t n = weights.query_ngrams[kind];
    row_labels_.groups.push_back({ngram_name(n), 0});
    for (int64_t query = n - 1; query < weights.queries; ++query) {
      rows_.push_back({kind, query});
      add_label(row_labels_, tokens, query, n);
    }
  }
  drop_single_group(row_labels_);
}

void AttentionMap::add_columns(const std::vector<AttentionWeights>& layers,
                               const std::vector<std::string>& tokens) {
  const AttentionWeights& first = layers.front();
  for (size_t kind = 0; kind < first.key_ngrams.size(); ++kind) {
    const int64_t n = first.key_ngrams[kind];
    column_labels_.groups.push_back({ngram_name(n), 0});
    for (int64_t key = 0; key < first.keys; ++key) {
      if (key < n - 1 && !has_weight_in_any(layers, kind, key))
        continue;
      columns_.push_back({kind, key});
      add_label(column_labels_, tokens, key, n);
    }
  }
  drop_single_group(column_labels_);
}

std::vector<double> AttentionMap::values(const AttentionWeights& weights, int64_t head) const {
  const int64_t first = head == kMeanOfHeads ? 0 : head - 1;
  const int64_t last = head == kMeanOfHeads ? weights.heads : head;
  std::vector<double> values;
  for (const Cell& row : rows_) {
    for (const Cell& column : columns_) {
      double sum = 0;
      for (int64_t h = first; h < last; ++h)
        sum += static_cast<double>(weights.at(row.kind, h, row.token, column.kind, column.token));
      values.push_back(sum / static_cast<double>(last - first));
    }
  }
  return values;
}

plot::HeatMap AttentionMap::draw(const AttentionWeights& weights, int64_t head) const {
  plot::HeatMap map;
  map.title = fmt::format("{}, {}", title_of(weights.place), describe(weights, head));
  map.rows = row_labels_;
  map.columns = column_labels_;
  map.values = values(weights, head);
  return map;
}

}  // namespace phraseq::analysis

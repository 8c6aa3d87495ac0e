#include "core/plot/curves/metric_title.h"

#include <algorithm>
#include <numbers>
#include <string_view>

#include "core/base/text_fields.h"

namespace phraseq::plot {
namespace {

struct KnownMetric {
  std::string_view key, title;
  bool from_zero;
};

constexpr KnownMetric kKnown[] = {{"loss", "Loss (bits per token)", false},
                                  {"nll_loss", "NLL loss (bits per token)", false},
                                  {"ppl", "Perplexity", false},
                                  {"lr", "Learning rate", true},
                                  {"gradient_norm", "Gradient norm", true},
                                  {"clipped", "Share of clipped updates", true},
                                  {"tokens_per_second", "Target tokens per second", true},
                                  {"updates_per_second", "Updates per second", true},
                                  {"tokens_per_update", "Target tokens per update", true},
                                  {"sentences_per_update", "Sentences per update", true},
                                  {"correct_per_token", "Share of correct tokens", true}};

/// Names from fairseq's log, and common names.
constexpr std::string_view kOtherNames[][2] = {{"nll", "nll_loss"},
                                               {"gnorm", "gradient_norm"},
                                               {"clip", "clipped"},
                                               {"wps", "tokens_per_second"},
                                               {"ups", "updates_per_second"},
                                               {"wpb", "tokens_per_update"},
                                               {"bsz", "sentences_per_update"},
                                               {"accuracy", "correct_per_token"},
                                               {"learning_rate", "lr"},
                                               {"metric", "score"}};

const KnownMetric* find_known(const std::string& key) {
  const auto* found = std::find_if(
      std::begin(kKnown), std::end(kKnown), [&](const KnownMetric& m) { return m.key == key; });
  return found == std::end(kKnown) ? nullptr : found;
}

}  // namespace

std::string metric_title(const std::string& key) {
  if (const KnownMetric* known = find_known(key))
    return std::string(known->title);
  std::string title = key;
  std::replace(title.begin(), title.end(), '_', ' ');
  return title;
}

bool starts_at_zero(const std::string& key) {
  const KnownMetric* known = find_known(key);
  return known == nullptr || known->from_zero;
}

bool is_known_metric(const std::string& key) { return find_known(key) != nullptr; }

double metric_factor(const std::string& key) {
  return key == "loss" || key == "nll_loss" ? 1 / std::numbers::ln2 : 1;
}

std::string metric_key(const std::string& name) {
  std::string key = to_ascii_lowercase(name);
  std::replace(key.begin(), key.end(), '-', '_');
  for (const auto& [other, known] : kOtherNames) {
    if (key == other)
      return std::string(known);
  }
  return key;
}

}  // namespace phraseq::plot

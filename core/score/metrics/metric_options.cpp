#include "core/score/metrics/metric_options.h"

#include "core/options/command_line.h"

namespace phraseq::score {

void MetricOptions::describe(OptionTable& table) {
  table.section("Metrics");
  table
      .field("metrics",
             metrics,
             "Which metrics to compute, by name: bleu, chrf, chrf++, ter, multi-bleu, mteval-v11b, "
             "or a plugin's.")
      .short_flag("m");
  table
      .field("language-pair",
             language_pair,
             "Language pair SRC-TGT; the target language determines the default tokenizer.")
      .value_name("SRC-TGT")
      .short_flag("l");
  table.field("force", force, "Do not warn about tokenized or segmented input.");
  plugins.describe(table);
}

std::vector<std::string> MetricOptions::problems() const {
  if (metrics.empty())
    return {"--metrics: give at least one metric"};
  return {};
}

std::vector<std::string> MetricOptions::peek_metrics(OptionTable& table,
                                                     std::span<const std::string> arguments) const {
  auto named = peek_list(table, arguments, "metrics");
  return named.empty() ? metrics : named;
}

/// The target language of a pair, as in sacrebleu: "zh" for "en-zh-CN".
std::string MetricOptions::target_language() const {
  const size_t begin = language_pair.find('-') + 1;
  return language_pair.substr(begin, language_pair.find('-', begin) - begin);
}

}  // namespace phraseq::score

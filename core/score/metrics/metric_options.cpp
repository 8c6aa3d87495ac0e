#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/score/metrics/bleu.h"
#include "core/score/metrics/chrf.h"
#include "core/score/metrics/ter.h"
#include "core/score/report/score_options.h"

namespace phraseq::score {
namespace {

constexpr std::array<std::string_view, 6> kKnownMetrics = {
    "bleu", "chrf", "chrf++", "ter", "multi-bleu", "mteval-v11b"};

}  // namespace

void MetricOptions::describe(OptionTable& table) {
  table.section("Metrics");
  table
      .field("metrics",
             metrics,
             "Which metrics to compute: bleu, chrf, chrf++, ter, multi-bleu, mteval-v11b.")
      .short_flag("m");
  describe_bleu(table);
  describe_chrf(table);
  describe_ter(table);
  table.section("mteval-v11b");
  table.field("mteval-preserve-case", mteval_preserve_case, "Respect case (the script's -c).");
}

void MetricOptions::describe_bleu(OptionTable& table) {
  table.section("BLEU");
  table.field("smooth-method", smooth_method, "What to do with orders that have no match.")
      .one_of({"none", "floor", "add-k", "exp"})
      .short_flag("s");
  table.field("smooth-value", smooth_value, "For floor and add-k; -1 = 0.1 for floor, 1 for add-k.")
      .at_least(-1)
      .short_flag("sv");
  table
      .field("tokenize",
             tokenize,
             "none, zh, 13a, intl, char, spm, flores101, flores200 or spBLEU-1K; by default zh for "
             "Chinese, 13a otherwise.")
      .value_name("NAME")
      .short_flag("tok");
  table.field("language-pair", language_pair, "SRC-TGT; the target decides the default tokenizer.")
      .value_name("SRC-TGT")
      .short_flag("l");
  table.field("spm-model", spm_model, "SentencePiece model of the spm tokenizers.")
      .value_name("FILE");
  table.field("lowercase", lowercase, "Ignore case.").short_flag("lc").alias("ignore-case");
  table.field("order", order, "Longest n-gram that counts.").in(1, 100).alias("max-ngram-order");
  table.field("effective-order",
              effective_order,
              "Average only over the orders that there are n-grams of; on at sentence level.");
  table.field("force", force, "No warning about text that looks tokenized.");
}

void MetricOptions::describe_chrf(OptionTable& table) {
  table.section("chrF");
  table.field("chrf-char-order", chrf_char_order, "Longest character n-gram.")
      .in(1, 100)
      .short_flag("cc");
  table.field("chrf-word-order", chrf_word_order, "Longest word n-gram; 2 makes chrF++.")
      .in(0, 100)
      .short_flag("cw");
  table.field("chrf-beta", chrf_beta, "How many times more recall weighs than precision.")
      .in(0, 1000);
  table.field("chrf-whitespace", chrf_whitespace, "Count white space as characters.");
  table.field("chrf-lowercase", chrf_lowercase, "Ignore case.");
  table.field("chrf-eps-smoothing",
              chrf_eps_smoothing,
              "Smooth as chrF++.py, NLTK and Moses do, not by effective order.");
}

void MetricOptions::describe_ter(OptionTable& table) {
  table.section("TER");
  table.field("ter-case-sensitive", ter_case_sensitive, "Respect case.");
  table.field("ter-asian-support",
              ter_asian_support,
              "With the two below: treat Asian characters and punctuation too.");
  table.field("ter-no-punct", ter_no_punct, "Remove punctuation.");
  table.field("ter-normalized", ter_normalized, "Decode entities and set punctuation apart.");
}

bool MetricOptions::wants(std::string_view metric) const {
  return std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
}

std::vector<std::string> MetricOptions::problems() const {
  std::vector<std::string> found;
  for (const auto& name : metrics) {
    if (std::find(kKnownMetrics.begin(), kKnownMetrics.end(), name) == kKnownMetrics.end()) {
      found.push_back(fmt::format(
          "--metrics: '{}' is not known; known: {}", name, fmt::join(kKnownMetrics, ", ")));
    }
  }
  if (wants("chrf") && wants("chrf++") && chrf_word_order == 2)
    found.emplace_back("--metrics: chrf with --chrf-word-order 2 is chrf++; name one of the two");
  if (metrics.empty())
    found.emplace_back("--metrics: name at least one");
  return found;
}

BleuSettings MetricOptions::bleu_settings() const {
  const std::string target_language = language_pair.substr(language_pair.find('-') + 1);
  BleuSettings settings;
  settings.smoothing = parse_smoothing(smooth_method);
  if (smooth_value >= 0)
    settings.smooth_value = smooth_value;
  settings.tokenizer = tokenize.empty() ? default_tokenizer(target_language) : tokenize;
  settings.tokenizer_model = spm_model;
  settings.lowercase = lowercase;
  settings.effective_order = effective_order;
  settings.max_order = static_cast<int>(order);
  return settings;
}

ChrfSettings MetricOptions::chrf_settings() const {
  return {static_cast<int>(chrf_char_order),
          static_cast<int>(chrf_word_order),
          static_cast<int>(chrf_beta),
          chrf_lowercase,
          chrf_whitespace,
          chrf_eps_smoothing};
}

std::unique_ptr<CorpusMetric> MetricOptions::make_metric(std::string_view name) const {
  if (name == "chrf")
    return std::make_unique<Chrf>(chrf_settings());
  if (name == "chrf++") {
    ChrfSettings settings = chrf_settings();
    settings.word_order = 2;
    return std::make_unique<Chrf>(settings);
  }
  if (name == "ter") {
    return std::make_unique<Ter>(
        TerTokenizerSettings{ter_normalized, ter_no_punct, ter_asian_support, ter_case_sensitive});
  }
  if (name == "multi-bleu")
    return std::make_unique<Bleu>(multi_bleu_settings(lowercase));
  if (name == "mteval-v11b")
    return std::make_unique<Bleu>(mteval_v11b_settings(mteval_preserve_case));
  return std::make_unique<Bleu>(bleu_settings());
}

Metrics MetricOptions::make_metrics() const {
  Metrics made;
  for (const std::string_view name : kKnownMetrics) {
    if (wants(name))
      made.push_back(make_metric(name));
  }
  return made;
}

}  // namespace phraseq::score

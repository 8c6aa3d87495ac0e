#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/score/metrics/bleu.h"
#include "core/score/metrics/chrf.h"
#include "core/score/metrics/ter.h"
#include "tests/core/score/example.h"

// sacrebleu's own small tests (small-cases.jsonl).
namespace phraseq::score {
namespace {

using nlohmann::json;

BleuSettings bleu_settings(const json& settings) {
  BleuSettings result;
  NamedEnum(result.smoothing, kSmoothingNames).set(settings.value("smooth_method", "exp"));
  if (settings.contains("smooth_value") && settings["smooth_value"].is_number()) {
    result.smooth_value = settings["smooth_value"].get<double>();
  }
  result.tokenizer = settings.value("tokenize", "13a");
  result.lowercase = settings.value("lowercase", false);
  const bool raw = settings.value("note", "").starts_with("raw_corpus_bleu");
  result.effective_order = settings.value("effective_order", raw);
  result.max_order = settings.value("max_ngram_order", 4);
  return result;
}

ChrfSettings chrf_settings(const json& settings) {
  ChrfSettings result;
  result.char_order = settings.at("char_order");
  result.word_order = settings.at("word_order");
  result.beta = settings.at("beta");
  result.eps_smoothing = settings.at("eps_smoothing");
  result.whitespace = settings.at("whitespace");
  return result;
}

TerTokenizerSettings ter_settings(const json& settings) {
  return {settings.value("normalized", false),
          settings.value("no_punct", false),
          settings.value("asian_support", false),
          settings.value("case_sensitive", false)};
}

double from_counts(json settings) {
  if (!settings.contains("smooth_method"))
    settings["smooth_method"] = "none";
  std::vector<double> sums = {settings.at("sys_len").get<double>(),
                              settings.at("ref_len").get<double>()};
  for (const double count : settings.at("correct")) sums.push_back(count);
  for (const double count : settings.at("total")) sums.push_back(count);
  return Bleu(bleu_settings(settings)).score(std::span<const double>(sums));
}

double score_of(const json& test) {
  const std::string metric = test.at("metric");
  const json& settings = test.at("settings");
  if (metric == "BLEU-from-counts")
    return from_counts(settings);
  const Lines hypotheses = test.at("hypotheses");
  const std::vector<Lines> references = test.at("references");
  if (metric == "BLEU")
    return corpus_score(Bleu(bleu_settings(settings)), hypotheses, references);
  if (metric == "chrF")
    return corpus_score(Chrf(chrf_settings(settings)), hypotheses, references);
  EXPECT_EQ(metric, "TER");
  return corpus_score(Ter(ter_settings(settings)), hypotheses, references);
}

TEST(SmallCases, AllHaveSacrebleusValues) {
  SKIP_WITHOUT_SCORE_DATA();
  std::ifstream file(score_data() + "small-cases.jsonl");
  int compared = 0;
  for (std::string line; std::getline(file, line); ++compared) {
    const json test = json::parse(line);
    const std::string id = test.at("id");
    if (test.at("metric") == "TER-tokenizer") {
      const std::string expected = test.at("expected");
      EXPECT_EQ(
          tokenize_tercom(test.at("input").get<std::string>(), ter_settings(test.at("settings"))),
          expected)
          << id;
      continue;
    }
    const double score = score_of(test);
    EXPECT_NEAR(score, test.at("expected").get<double>(), test.at("tolerance").get<double>()) << id;
    EXPECT_NEAR(score, test.at("recomputed").get<double>(), 5e-9) << id;
  }
  EXPECT_EQ(compared, 45);
}

}  // namespace
}  // namespace phraseq::score

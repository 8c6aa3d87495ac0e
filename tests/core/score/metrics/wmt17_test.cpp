#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/score/metrics/bleu.h"
#include "core/score/metrics/chrf.h"
#include "core/score/metrics/ter.h"
#include "core/score/significance/significance.h"
#include "tests/core/score/example.h"

// The scores of outputs of WMT17 systems by sacrebleu and by the tools against which it is checked.
namespace phraseq::score {
namespace {

using Row = std::vector<std::string>;

std::vector<Row> read_table(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    Row& row = rows.emplace_back();
    for (size_t begin = 0; begin <= line.size();) {
      const size_t end = std::min(line.find('\t', begin), line.size());
      row.push_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  rows.erase(rows.begin());  // the heading
  return rows;
}

Lines system_output(const std::string& name) {
  return read_score_lines(score_data() + "newstest2017." + name + ".gz");
}

std::vector<Lines> wmt17_references() { return {system_output("en-de.ref.de")}; }

std::unique_ptr<Metric> make_metric(const std::string& name) {
  if (name == "BLEU-13a" || name == "MTEVAL")
    return std::make_unique<Bleu>(BleuSettings{});
  if (name == "BLEU-13a-lc")
    return std::make_unique<Bleu>(BleuSettings{.lowercase = true});
  if (name == "MTEVAL14")
    return std::make_unique<Bleu>(BleuSettings{.tokenizer = "intl"});
  if (name.starts_with("BLEU-"))
    return std::make_unique<Bleu>(BleuSettings{.tokenizer = name.substr(5)});
  if (name == "chrF")
    return std::make_unique<Chrf>(ChrfSettings{});
  if (name == "chrF++")
    return std::make_unique<Chrf>(ChrfSettings{.word_order = 2});
  if (name == "chrF-eps" || name == "CHRF")
    return std::make_unique<Chrf>(ChrfSettings{.eps_smoothing = true});
  if (name == "chrF++-eps" || name == "CHRFPP") {
    return std::make_unique<Chrf>(ChrfSettings{.word_order = 2, .eps_smoothing = true});
  }
  EXPECT_EQ(name, "TER");
  return std::make_unique<Ter>(TerTokenizerSettings{});
}

TEST(Wmt17, EveryRecomputedScoreIsEqual) {
  SKIP_WITHOUT_SCORE_DATA();
  const auto references = wmt17_references();
  int compared = 0;
  for (const auto& row : read_table(score_data() + "recomputed.tsv")) {
    const auto metric = make_metric(row[1]);
    const auto sums = collect_statistics(*metric, system_output(row[0]), references, 0).sums();
    EXPECT_EQ(fmt::format("{:.6f}", metric->score(std::span<const double>(sums))), row[3])
        << row[0] << ' ' << row[1];
    if (row.size() > 4 && row[4].starts_with("counts=")) {
      std::string detail = "counts=";
      for (size_t n = 0; n < 4; ++n) detail += fmt::format("{}{}", n == 0 ? "" : "/", sums[2 + n]);
      detail += " totals=";
      for (size_t n = 0; n < 4; ++n) detail += fmt::format("{}{}", n == 0 ? "" : "/", sums[6 + n]);
      const auto parts = dynamic_cast<const Bleu&>(*metric).parts(sums);
      detail +=
          fmt::format(" bp={:.6f} sys_len={} ref_len={}", parts.brevity_penalty, sums[0], sums[1]);
      EXPECT_EQ(detail, row[4]) << row[0] << ' ' << row[1];
    }
    ++compared;
  }
  EXPECT_EQ(compared, 80);
}

TEST(Wmt17, EveryScoreThatSacrebleuAssertsIsEqual) {
  SKIP_WITHOUT_SCORE_DATA();
  const auto references = wmt17_references();
  int compared = 0;
  for (const auto& row : read_table(score_data() + "asserted.tsv")) {
    const auto metric = make_metric(row[1]);
    double value = corpus_score(*metric, system_output(row[0]), references);
    if (row[1] == "TER")
      value /= 100;
    const double tolerance = row[1] == "TER"              ? 0.0005
                             : row[1].starts_with("CHRF") ? 0.00005
                                                          : 0.005;
    EXPECT_NEAR(value, std::stod(row[3]), tolerance + 1e-9) << row[0] << ' ' << row[1];
    EXPECT_EQ(fmt::format("{:.6f}", value), row[7]) << row[0] << ' ' << row[1];
    ++compared;
  }
  EXPECT_EQ(compared, 19);
}

// The output of Moses' Perl scripts, with two other systems as additional references.
TEST(Wmt17, ThePerlScriptsScoresAreEqual) {
  SKIP_WITHOUT_SCORE_DATA();
  const auto system = system_output("LIUM-NMT.4900.en-de");
  const auto one = wmt17_references();
  const std::vector<Lines> three = {
      one[0], system_output("KIT.4950.en-de"), system_output("online-F.0.en-de")};
  EXPECT_NEAR(corpus_score(Bleu(multi_bleu_settings(false)), system, one), 21.61, 0.005);
  EXPECT_NEAR(corpus_score(Bleu(multi_bleu_settings(true)), system, one), 22.14, 0.005);
  EXPECT_NEAR(corpus_score(Bleu(multi_bleu_settings(false)), system, three), 60.50, 0.005);
  EXPECT_NEAR(corpus_score(Bleu(multi_bleu_settings(true)), system, three), 61.05, 0.005);
  EXPECT_NEAR(corpus_score(Bleu(mteval_v11b_settings(false)), system, one), 27.15, 0.005);
  EXPECT_NEAR(corpus_score(Bleu(mteval_v11b_settings(true)), system, one), 26.60, 0.005);
  EXPECT_NEAR(corpus_score(Bleu(mteval_v11b_settings(false)), system, three), 66.18, 0.005);
  EXPECT_NEAR(corpus_score(Bleu(mteval_v11b_settings(true)), system, three), 65.66, 0.005);
}

TEST(Wmt17, SignificanceAgreesWithMosesAndMultEval) {
  SKIP_WITHOUT_SCORE_DATA();
  const auto references = wmt17_references();
  const Bleu bleu({.tokenizer = "none"});
  std::vector<Statistics> pair(2);
  pair[0] = collect_statistics(bleu, system_output("LIUM-NMT.4900.en-de"), references, 0);
  for (const auto& row : read_table(score_data() + "significance.tsv")) {
    pair[1] = collect_statistics(bleu, system_output(row[0]), references, 0);
    const auto scores = bootstrap(bleu, pair, {2000, 12345, 0});
    const double p_value = paired_bootstrap(bleu, scores[0], scores[1]).p_value;
    EXPECT_NEAR(p_value, std::stod(row[1]), 0.01) << row[0];
    const double randomization = paired_randomization(bleu, pair[0], pair[1], {10000, 12345, 0});
    EXPECT_NEAR(randomization, std::stod(row[2]), 0.01) << row[0];
  }
}

}  // namespace
}  // namespace phraseq::score

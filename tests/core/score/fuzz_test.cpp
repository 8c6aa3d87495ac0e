#include <algorithm>
#include <cstdlib>
#include <map>
#include <zlib.h>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/score/metrics/bleu.h"
#include "core/score/metrics/chrf.h"
#include "core/score/metrics/ter.h"
#include "tests/core/score/example.h"

// Random and difficult sentence pairs with the results of sacrebleu 2.6.0;
// tests/golden/score/generate.py writes the file and describes its contents.
namespace phraseq::score {
namespace {

using nlohmann::json;

using NamedMetrics = std::vector<std::pair<std::string, std::unique_ptr<Metric>>>;

template <class Metric, class Settings>
void add(NamedMetrics& metrics, const std::string& name, const Settings& settings) {
  metrics.emplace_back(name, std::make_unique<Metric>(settings));
}

/// The metrics in STATISTICS of the generator.
NamedMetrics make_statistics() {
  NamedMetrics metrics;
  add<Bleu>(metrics, "13a", BleuSettings{});
  add<Bleu>(metrics, "13a-lc-6", BleuSettings{.lowercase = true, .max_order = 6});
  add<Bleu>(metrics, "intl", BleuSettings{.tokenizer = "intl"});
  add<Bleu>(metrics, "intl-lc", BleuSettings{.tokenizer = "intl", .lowercase = true});
  add<Bleu>(metrics, "zh", BleuSettings{.tokenizer = "zh"});
  add<Bleu>(metrics, "char", BleuSettings{.tokenizer = "char"});
  add<Bleu>(metrics, "none", BleuSettings{.tokenizer = "none", .max_order = 2});
  add<Chrf>(metrics, "chrf", ChrfSettings{});
  add<Chrf>(metrics, "chrf++", ChrfSettings{.word_order = 2, .lowercase = true});
  add<Chrf>(
      metrics, "chrf-space", ChrfSettings{.char_order = 3, .word_order = 1, .whitespace = true});
  add<Ter>(metrics, "ter", TerTokenizerSettings{});
  add<Ter>(metrics, "ter-norm", TerTokenizerSettings{.normalized = true});
  add<Ter>(metrics, "ter-punct", TerTokenizerSettings{.no_punct = true, .case_sensitive = true});
  add<Ter>(metrics, "ter-asian", TerTokenizerSettings{.normalized = true, .asian_support = true});
  add<Ter>(metrics,
           "ter-all",
           TerTokenizerSettings{.normalized = true, .no_punct = true, .asian_support = true});
  return metrics;
}

/// The scores in SCORES of the generator; the name before the colon is that of their statistics.
NamedMetrics make_scores() {
  const auto bleu = [](Smoothing smoothing, bool effective, std::optional<double> value = {}) {
    return BleuSettings{
        .smoothing = smoothing, .smooth_value = value, .effective_order = effective};
  };
  NamedMetrics metrics;
  add<Bleu>(metrics, "13a:exp", bleu(Smoothing::kExp, false));
  add<Bleu>(metrics, "13a:floor", bleu(Smoothing::kFloor, false));
  add<Bleu>(metrics, "13a:floor-0.5", bleu(Smoothing::kFloor, false, 0.5));
  add<Bleu>(metrics, "13a:add-k", bleu(Smoothing::kAddK, false));
  add<Bleu>(metrics, "13a:none", bleu(Smoothing::kNone, false));
  add<Bleu>(metrics, "13a:exp-eff", bleu(Smoothing::kExp, true));
  add<Bleu>(metrics, "13a:floor-eff", bleu(Smoothing::kFloor, true));
  add<Bleu>(metrics, "13a:none-eff", bleu(Smoothing::kNone, true));
  add<Bleu>(metrics, "13a-lc-6:exp", BleuSettings{.max_order = 6});
  add<Chrf>(metrics, "chrf:", ChrfSettings{});
  add<Chrf>(metrics, "chrf:beta", ChrfSettings{.beta = 3});
  add<Chrf>(metrics, "chrf:eps", ChrfSettings{.eps_smoothing = true});
  add<Chrf>(metrics, "chrf++:", ChrfSettings{.word_order = 2});
  add<Ter>(metrics, "ter:", TerTokenizerSettings{});
  add<Ter>(metrics, "ter-asian:", TerTokenizerSettings{});
  return metrics;
}

/// Describes statistics like the generator's function of that name.
std::string describe(const std::map<std::string, Statistics>& statistics,
                     const NamedMetrics& metrics,
                     size_t pair) {
  std::string text;
  for (const auto& [name, metric] : metrics) {
    text += (text.empty() ? "" : ";") + name + ':';
    const auto row = statistics.at(name).row(pair);
    for (size_t column = 0; column < row.size(); ++column)
      text += fmt::format("{}{:.3f}", column == 0 ? "" : " ", row[column]);
  }
  return text;
}

std::string checksum(const std::string& text) {
  const auto crc =
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size()));
  return fmt::format("{:04x}", crc & 0xFFFF);
}

/// Whether the numbers agree to a relative 1e-9.
bool equal(double ours, double theirs) {
  return std::abs(ours - theirs) <= 1e-9 * std::max(std::abs(theirs), 1e-300);
}

class Block {
 public:
  Block(const json& block, const NamedMetrics& metrics) : block_(block), metrics_(metrics) {
    const auto& pairs = block["pairs"];
    std::vector<Lines> streams(pairs[0].size());
    for (const auto& pair : pairs) {
      for (size_t stream = 0; stream < streams.size(); ++stream)
        streams[stream].push_back(pair[stream]);
    }
    for (const auto& [name, metric] : metrics) {
      statistics_[name] = collect_statistics(*metric, streams[0], std::span(streams).subspan(1), 0);
    }
  }

  size_t size() const { return block_["pairs"].size(); }

  void compare_statistics(size_t number) const {
    const std::string expected = block_["checksums"];
    for (size_t pair = 0; pair < size(); ++pair) {
      const std::string ours = describe(statistics_, metrics_, pair);
      EXPECT_EQ(checksum(ours), expected.substr(4 * pair, 4))
          << "generate.py --explain " << number << ' ' << pair << '\n'
          << block_["pairs"][pair].dump(-1, ' ', true) << '\n'
          << ours;
    }
  }

  void compare_scores(size_t number, const NamedMetrics& scores) const {
    for (size_t at = 0; at < scores.size(); ++at) {
      const auto& [name, metric] = scores[at];
      const auto& own = statistics_.at(name.substr(0, name.find(':')));
      const double corpus = metric->score(std::span<const double>(own.sums()));
      double sentences = 0;
      for (size_t pair = 0; pair < size(); ++pair) sentences += metric->score(own.row(pair));
      sentences /= static_cast<double>(size());
      const double corpus_expected = block_["corpus"][at];
      const double sentences_expected = block_["sentences"][at];
      EXPECT_TRUE(equal(corpus, corpus_expected))
          << number << ' ' << name << ' ' << corpus << ' ' << corpus_expected;
      EXPECT_TRUE(equal(sentences, sentences_expected))
          << number << ' ' << name << ' ' << sentences << ' ' << sentences_expected;
    }
  }

 private:
  const json& block_;
  const NamedMetrics& metrics_;
  std::map<std::string, Statistics> statistics_;
};

/// PHRASEQ_SCORE_FUZZ may name another file from the generator, with more or other pairs.
TEST(Fuzz, SacrebleuComputesTheSameFromEveryPair) {
  const char* other = std::getenv("PHRASEQ_SCORE_FUZZ");
  const std::string path =
      other != nullptr ? other : PHRASEQ_SOURCE_FOLDER "/tests/golden/score/fuzz.jsonl.gz";
  const auto metrics = make_statistics();
  const auto scores = make_scores();
  size_t number = 0;
  size_t compared = 0;
  for (const auto& line : read_score_lines(path)) {
    const json parsed = json::parse(line);
    const Block block(parsed, metrics);
    block.compare_statistics(number);
    block.compare_scores(number, scores);
    compared += block.size();
    ++number;
    if (HasFailure())
      break;  // one block with a difference is enough
  }
  EXPECT_GE(compared, 20000U);
}

}  // namespace
}  // namespace phraseq::score

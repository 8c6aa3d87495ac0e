// Models of Marian, translated by phraseq: lines and scores must equal those of pymarian
// (tests/golden/marian/generate.py).

#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq {
namespace {

const std::string kNpzGolden = PHRASEQ_SOURCE_FOLDER "/tests/golden/marian/";

constexpr size_t kLongest = 4;  // tokens per token of the source

struct ScoredLine {
  std::string text;
  double score = 0;
  size_t greatest_length = 0;
};

size_t count_words(const std::string& text) {
  std::istringstream stream(text);
  size_t count = 0;
  for (std::string word; stream >> word;) ++count;
  return count;
}

class MarianNpzParity : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto imported = space_.run({"import",
                                      kNpzGolden + GetParam() + ".npz",
                                      "m.safetensors",
                                      "-s",
                                      "xx",
                                      "-t",
                                      "yy",
                                      "--vocabs",
                                      kNpzGolden + "vocab.source.yml",
                                      kNpzGolden + "vocab.target.yml"});
    ASSERT_EQ(imported.exit_code, kExitOk) << imported.errors;
  }

  /// Translates as Marian does: a finished hypothesis takes its place in the beam for good, <unk>
  /// never wins, and scores are sums.
  std::vector<ScoredLine> translate(const std::string& beam) {
    const auto result = space_.run({"generate",
                                    "--path",
                                    "m.safetensors",
                                    "--input",
                                    kNpzGolden + "source.txt",
                                    "--beam",
                                    beam,
                                    "--shrink-beam",
                                    "--max-len-a",
                                    "4",
                                    "--max-len-b",
                                    "0",
                                    "--min-len",
                                    "0",
                                    "--unkpen",
                                    "1e9",
                                    "--unnormalized",
                                    "--format",
                                    "jsonl"});
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    std::vector<ScoredLine> lines;
    std::istringstream stream(result.output);
    for (std::string line; std::getline(stream, line);) {
      const auto translation = nlohmann::json::parse(line);
      const auto best = translation.at("hypotheses").at(0);
      const size_t greatest_length = kLongest * (count_words(translation.at("source")) + 1);
      lines.push_back({best.at("text"), best.at("log_probability"), greatest_length});
    }
    return lines;
  }

  /// At the greatest length, Marian ends a translation without </s>. Its score is not compared
  /// then, nor is its text if it was found by beam search, which chose it by that score.
  void expect_lines_of(const std::string& file, const std::string& beam) {
    std::istringstream expected(space_.read(kNpzGolden + GetParam() + "." + file + ".txt"));
    const auto found = translate(beam);
    size_t number = 0, scored = 0;
    for (std::string line; std::getline(expected, line); ++number) {
      ASSERT_LT(number, found.size());
      const size_t tab = line.find('\t');
      const std::string text = line.substr(tab + 1);
      const bool is_cut = count_words(text) == found[number].greatest_length;
      if (!is_cut || beam == "1") {
        EXPECT_EQ(found[number].text, text) << "line " << number + 1;
      }
      if (is_cut)
        continue;
      EXPECT_NEAR(found[number].score, std::stod(line.substr(0, tab)), 2e-4)
          << "line " << number + 1;
      ++scored;
    }
    EXPECT_GT(scored, 15U);
    EXPECT_EQ(number, found.size());
  }

  end_to_end::Workspace space_;
};

TEST_P(MarianNpzParity, OfGreedySearch) { expect_lines_of("greedy", "1"); }

TEST_P(MarianNpzParity, OfABeamOfFour) { expect_lines_of("beam4", "4"); }

INSTANTIATE_TEST_SUITE_P(OfTheTransformerAndTheOneWithSsru,
                         MarianNpzParity,
                         ::testing::Values("model", "ssru"),
                         [](const auto& model) { return std::string(model.param); });

}  // namespace
}  // namespace phraseq

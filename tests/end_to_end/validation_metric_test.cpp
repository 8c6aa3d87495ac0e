#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

// The scorer's metrics, by name and with their own options, where training and generation use them.
namespace phraseq::end_to_end {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ValidationMetric : public ::testing::Test {
 protected:
  ValidationMetric() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  }

  void train(const std::string& save_dir, int updates, const std::string& more) {
    const auto result =
        workspace_.run(toy_train(save_dir, updates) + words("--threads 1 --eval-bleu " + more));
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  }

  /// The last validation's line of metrics.jsonl.
  nlohmann::json last_validation(const std::string& save_dir) const {
    nlohmann::json last;
    for (const auto& line : lines_of(workspace_.read(save_dir + "/metrics.jsonl"))) {
      auto entry = nlohmann::json::parse(line);
      if (entry.value("event", "") == "valid")
        last = std::move(entry);
    }
    return last;
  }

  Workspace workspace_;
};

TEST_F(ValidationMetric, IsNamedAndSetLikeEveryComponent) {
  train("bleu", 4, "--metric bleu --bleu-tokenize char --bleu-lowercase");
  EXPECT_THAT(last_validation("bleu")["score_text"],
              AllOf(StartsWith("BLEU|nrefs:1|case:lc|eff:no|tok:char|"), HasSubstr(" = ")));
  train("chrf", 4, "--metric chrf --chrf-word-order 2 --best-checkpoint-metric chrf");
  EXPECT_EQ(last_validation("chrf")["score_name"], "chrF2++");
  EXPECT_EQ(last_validation("chrf")["best_metric"], "chrf");
  train("ter", 4, "--metric ter --ter-normalized");
  EXPECT_THAT(last_validation("ter")["signature"], HasSubstr("norm:yes"));
}

TEST_F(ValidationMetric, MayBeSetOtherwiseWhenARunIsResumed) {
  train("checkpoints", 4, "--bleu-tokenize char");
  train("checkpoints", 8, "--bleu-tokenize none");
  EXPECT_THAT(last_validation("checkpoints")["signature"], HasSubstr("tok:none"));
  EXPECT_EQ(last_validation("checkpoints")["updates"], 8);
}

TEST_F(ValidationMetric, GivesTheScoreThatTheCommandGives) {
  train("checkpoints", 20, "");
  const std::string generate = "generate data-bin --path checkpoints/checkpoint_last --threads 1";
  const auto translated = workspace_.run(words(generate + " --scoring chrf --chrf-word-order 2"));
  const auto scored = workspace_.run(
      words("score test.de --metrics chrf++ --format text --width 2"), translated.output);
  EXPECT_THAT(translated.errors, HasSubstr("with beam=5: " + lines_of(scored.output).front()));
}

}  // namespace
}  // namespace phraseq::end_to_end

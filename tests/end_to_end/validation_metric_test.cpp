#include <algorithm>
#include <filesystem>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"
#include "tests/end_to_end/workspace.h"

// The metrics of the scorer in training and generation, selected by name and with their own
// options.
namespace phraseq::end_to_end {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
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

  /// The lines of metrics.jsonl about validations.
  std::vector<nlohmann::json> validations(const std::string& save_dir) const {
    return records(workspace_, save_dir, "valid");
  }
  nlohmann::json last_validation(const std::string& save_dir) const {
    return validations(save_dir).back();
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

TEST_F(ValidationMetric, MayBeThatOfTheFirstSentencesOnly) {
  train("all", 4, "");
  train("some", 4, "--eval-bleu-sentences 7");
  std::string first;
  const auto references = lines_of(workspace_.read("dev.de"));
  for (size_t i = 0; i < 7; ++i) first += references[i] + ' ';
  EXPECT_THAT(last_validation("some")["score_text"],
              HasSubstr("ref_len = " + std::to_string(words(first).size()) + ")"));
  EXPECT_NE(last_validation("some")["score_text"], last_validation("all")["score_text"]);
  EXPECT_EQ(last_validation("some")["loss"], last_validation("all")["loss"]);
}

TEST_F(ValidationMetric, MayBeAValueOfTheCriterion) {
  const auto run = [&](const std::string& more) {
    return workspace_.run(toy_train("run", 30) +
                          words("--threads 1 --validate-interval-updates 5 " + more));
  };
  for (const std::string name : {"accuracy", "correct_per_token"}) {
    EXPECT_THAT(run("--best-checkpoint-metric " + name).errors,
                HasSubstr(name + " needs --report-accuracy"));
  }
  const auto missing = run("--best-checkpoint-metric penalty_per_token");
  EXPECT_EQ(missing.exit_code, kExitUsage);
  EXPECT_THAT(missing.errors, HasSubstr("no such value; it reports loss, nll_loss"));
  std::filesystem::remove_all(workspace_.path("run"));

  for (const std::string name : {"accuracy", "correct_per_token"}) {
    const auto result = run("--report-accuracy --best-checkpoint-metric " + name);
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
    double best = 0;
    for (const auto& validation : validations("run"))
      best = std::max<double>(best, validation["correct_per_token"]);
    EXPECT_GT(best, 0);
    EXPECT_EQ(last_validation("run")["best"], best);
    EXPECT_THAT(result.errors,
                AllOf(HasSubstr("| best_" + name + " "),
                      HasSubstr(", accuracy=0."),
                      HasSubstr(" | accuracy 0.")));
    std::filesystem::remove_all(workspace_.path("run"));
  }
}

/// A copy of a checkpoint that records nothing about its training, like an imported one.
void forget_training(const std::string& from, const std::string& to) {
  const auto file = CheckpointFile::open(from);
  auto metadata = file.metadata();
  metadata.erase("training_options");
  write_checkpoint(to, metadata, {file.tensors().begin(), file.tensors().end()});
}

TEST_F(ValidationMetric, TakesTheCriterionOfAnAverageFromItsTraining) {
  train("run", 4, "--criterion label_smoothed_cross_entropy --label-smoothing 0.3");
  for (const std::string command :
       {"average --inputs run/checkpoint_last --output average.safetensors",
        "quantize average.safetensors quantized.safetensors --quantization bf16"})
    ASSERT_EQ(workspace_.run(words(command)).exit_code, kExitOk);
  const auto validate = [&](const std::string& more) {
    return workspace_.run(words("validate data-bin --path " + more));
  };
  const std::string warning = "the loss is that of cross_entropy: forgetful.safetensors does not";
  const std::string loss = validate("run/checkpoint_last").output;
  EXPECT_EQ(validate("average.safetensors").output, loss);
  for (const std::string name : {"average", "quantized"})
    EXPECT_THAT(validate(name + ".safetensors").errors, Not(HasSubstr("does not record")));

  forget_training(workspace_.path("average.safetensors"), workspace_.path("forgetful.safetensors"));
  EXPECT_THAT(validate("forgetful.safetensors").errors, HasSubstr(warning));
  EXPECT_NE(validate("forgetful.safetensors").output, loss);
  EXPECT_THAT(validate("forgetful.safetensors --criterion cross_entropy").errors,
              Not(HasSubstr(warning)));
}

TEST_F(ValidationMetric, MayHaveOtherOptionsWhenARunIsResumed) {
  train("checkpoints", 4, "--bleu-tokenize char");
  train("checkpoints", 8, "--bleu-tokenize none");
  EXPECT_THAT(last_validation("checkpoints")["signature"], HasSubstr("tok:none"));
  EXPECT_EQ(last_validation("checkpoints")["updates"], 8);
}

/// The last epoch is always validated, even between intervals.
TEST_F(ValidationMetric, ChoosesTheLastEpochIfItIsTheBest) {
  const auto result = workspace_.run(toy_train("run", 1000) +
                                     words("--threads 1 --max-epoch 3 --validate-interval 2"));
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  ASSERT_EQ(validations("run").size(), 2U);
  ASSERT_EQ(last_validation("run")["best"], last_validation("run")["loss"]);
  EXPECT_THAT(workspace_.read("run/checkpoint_best"), StartsWith("checkpoint3."));
}

/// A loss cannot be compared with BLEU.
TEST_F(ValidationMetric, StartsAgainWhenAResumedRunChoosesByAnother) {
  train("checkpoints", 4, "");
  const double loss = last_validation("checkpoints")["best"];
  train("checkpoints", 8, "--best-checkpoint-metric bleu");
  EXPECT_NE(last_validation("checkpoints")["best"], loss);
  EXPECT_EQ(last_validation("checkpoints")["best"], last_validation("checkpoints")["score"]);
}

/// BLEU of characters is greater than that of words.
TEST_F(ValidationMetric, StartsAgainWhenAResumedRunComputesItDifferently) {
  const std::string by_bleu = "--best-checkpoint-metric bleu --bleu-tokenize ";
  train("checkpoints", 4, by_bleu + "char");
  train("checkpoints", 8, by_bleu + "none");
  EXPECT_EQ(last_validation("checkpoints")["best"], last_validation("checkpoints")["score"]);
}

/// Another program segmented the text, and there is no subword model, which is the usual case in
/// fairseq.
TEST_F(ValidationMetric, IsComputedOnWordsIfSubwordsAreJoined) {
  for (const std::string name : {"train.de", "dev.de", "test.de"}) {
    std::string text = workspace_.read(name);
    for (size_t at = text.find("sieben"); at != std::string::npos; at = text.find("sieben"))
      text.replace(at, 6, "sie@@ ben");
    workspace_.write(name, text);
  }
  ASSERT_EQ(workspace_
                .run(words("preprocess --source-lang en --target-lang de --destdir cut "
                           "--trainpref train --validpref dev --testpref test"))
                .exit_code,
            kExitOk);
  const auto log_of = [&](const std::string& save_dir, const std::string& more) {
    Arguments arguments = toy_train(save_dir, 2);
    std::replace(arguments.begin(), arguments.end(), std::string("data-bin"), std::string("cut"));
    const auto result = workspace_.run(
        arguments + words("--threads 1 --eval-bleu --eval-bleu-print-samples 20 " + more));
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    return result.errors;
  };
  EXPECT_THAT(log_of("pieces", ""),
              AllOf(HasSubstr("sie@@ ben"), HasSubstr("Give --eval-bleu-remove-bpe subword_nmt")));
  EXPECT_THAT(log_of("joined", "--eval-bleu-remove-bpe"),
              AllOf(HasSubstr("sieben"), ::testing::Not(HasSubstr("@@"))));
}

/// As in fairseq, a word outside of the vocabulary is wrong even if the reference has an unknown
/// word, too.
TEST_F(ValidationMetric, CountsUnknownWordsAsWrong) {
  std::string unknown;
  for (size_t i = 0; i < lines_of(workspace_.read("test.de")).size(); ++i)
    unknown += "neu neu neu neu\n";
  workspace_.write("test.de", unknown);
  ASSERT_EQ(workspace_
                .run(words("preprocess --source-lang en --target-lang de --destdir data-bin "
                           "--overwrite --trainpref train --validpref test --testpref test"))
                .exit_code,
            kExitOk);
  const auto result = workspace_.run(
      toy_train("unknown", 2) + words("--threads 1 --eval-bleu --eval-bleu-print-samples") +
      Arguments{"--eval-bleu-args", R"({"unkpen": -1000, "min_len": 4, "max_len_b": 4})"});
  EXPECT_THAT(result.errors, HasSubstr("hypothesis: <unk> <unk> <unk> <unk>\n"));
  EXPECT_EQ(last_validation("unknown")["score"], 0.0);
  const auto translated = workspace_.run(words(
      "generate data-bin --path unknown --threads 1 --unkpen -1000 --min-len 4 --max-len-b 4"));
  EXPECT_THAT(translated.output,
              AllOf(HasSubstr("\t<unk> <unk> <unk> <unk>\n"), HasSubstr(" = 0.00 0.0/")));
}

TEST_F(ValidationMetric, GivesTheScoreThatTheCommandGives) {
  train("checkpoints", 20, "");
  const std::string generate =
      "generate data-bin --path checkpoints/checkpoint_last --threads 1 --format plain";
  const auto translated = workspace_.run(words(generate + " --scoring chrf --chrf-word-order 2"));
  const auto scored = workspace_.run(
      words("score test.de --metrics chrf++ --format text --width 2"), translated.output);
  EXPECT_THAT(translated.errors, HasSubstr("with beam=5: " + lines_of(scored.output).front()));
}

/// Options of the default metric do not need --scoring.
TEST_F(ValidationMetric, IsCreatedBeforeTheTranslations) {
  train("run", 4, "");
  const std::string generate = "generate data-bin --path run/checkpoint_last --threads 1 --beam 1 ";
  const auto rejected = workspace_.run(words(generate + "--output translated --bleu-tokenize 13b"));
  EXPECT_EQ(rejected.exit_code, kExitUsage);
  EXPECT_THAT(rejected.errors,
              AllOf(HasSubstr("did you mean '13a'"), ::testing::Not(HasSubstr("Translated"))));
  EXPECT_FALSE(workspace_.exists("translated"));
  EXPECT_THAT(workspace_.run(words(generate + "--quiet --bleu-tokenize char")).output,
              HasSubstr("tok:char"));
}

TEST_F(ValidationMetric, OfACheckpointIsComputedOnTheChosenDevice) {
  train("run", 4, "");
  const std::string validate = "validate data-bin --path run/checkpoint_last --threads 1 ";
  const auto on_cpu = workspace_.run(words(validate + "--device cpu"));
  EXPECT_EQ(on_cpu.exit_code, kExitOk) << on_cpu.errors;
  EXPECT_THAT(on_cpu.output, StartsWith("valid on 'valid' subset | loss "));
  EXPECT_EQ(workspace_.run(words(validate + "--cpu")).output, on_cpu.output);
  EXPECT_THAT(workspace_.run(words(validate + "--device tpu")).errors, HasSubstr("--device"));
}

/// A plugin for tests with a metric of which lower is better.
const std::string kLengthErrorPlugin =
    " --plugin-dir " PHRASEQ_BUILD_FOLDER "/tests/support/plugins ";

TEST_F(ValidationMetric, OfAPluginChoosesTheBestCheckpointByItsDirection) {
  train("run",
        12,
        "--best-checkpoint-metric length_error --length-error-characters "
        "--validate-interval-updates 2" +
            kLengthErrorPlugin);
  const auto scores = validations("run");
  ASSERT_GE(scores.size(), 6u);
  double lowest = scores.front()["score"];
  for (const auto& entry : scores) {
    EXPECT_EQ(entry["score_name"], "length error");
    EXPECT_EQ(entry["best_metric"], "length_error");
    EXPECT_THAT(entry["signature"], HasSubstr("unit:characters|level:corpus|lang:de"));
    lowest = std::min<double>(lowest, entry["score"]);
    EXPECT_EQ(entry["best"], lowest);
  }
}

TEST_F(ValidationMetric, OfAPluginGivesTheScoreThatTheCommandGives) {
  train("run", 4, "--metric length_error" + kLengthErrorPlugin);
  const auto translated = workspace_.run(
      words("generate data-bin --path run/checkpoint_last --threads 1 --format plain --scoring "
            "length_error" +
            kLengthErrorPlugin));
  const auto scored = workspace_.run(
      words("score test.de -m length_error -l en-de --format text --width 2" + kLengthErrorPlugin),
      translated.output);
  EXPECT_THAT(translated.errors, HasSubstr("with beam=5: " + lines_of(scored.output).front()));
}

TEST_F(ValidationMetric, IsOneMetricForTheLogAndForTheBestCheckpoint) {
  const auto rejected = [&](const std::string& options) {
    const auto result = workspace_.run(toy_train("run", 2) + words("--eval-bleu " + options));
    EXPECT_EQ(result.exit_code, kExitUsage) << options;
    return result.errors;
  };
  EXPECT_THAT(rejected("--metric bleu --best-checkpoint-metric chrf"),
              HasSubstr("--best-checkpoint-metric chrf needs --metric chrf"));
  EXPECT_THAT(rejected("--best-checkpoint-metric blue"),
              AllOf(HasSubstr("unknown metric 'blue'"), HasSubstr("did you mean 'bleu'")));
}

}  // namespace
}  // namespace phraseq::end_to_end

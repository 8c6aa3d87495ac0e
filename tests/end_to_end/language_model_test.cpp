// Language models on the command line, which are trained on text of one language, evaluated,
// continued and added to translation; and models of fairseq, whose results must be those of
// fairseq.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

constexpr double kTolerance = 2e-4;  // the rounding of fp32 on both sides

Workspace* make_workspace() { return new Workspace; }

CommandResult run_well(Workspace& workspace,
                       const Arguments& arguments,
                       std::string_view input = {}) {
  CommandResult result = workspace.run(arguments, input);
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  return result;
}

/// The models that tests/golden/fairseq_lm/generate.py wrote, imported.
class FairseqLanguageModel : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    workspace_ = make_workspace();
    const fs::path golden = PHRASEQ_SOURCE_FOLDER "/tests/golden/fairseq_lm";
    for (const char* name : {"lm", "bos", "translation"}) {
      run_well(*workspace_,
               words(fmt::format("import {0}/{1}.pt {2} --data {0}",
                                 golden.string(),
                                 name,
                                 workspace_->path(std::string(name) + ".safetensors"))));
    }
    run_well(*workspace_,
             words(fmt::format("preprocess --only-source --testpref {0}/test.txt --srcdict "
                               "{0}/dict.txt --destdir {1}",
                               golden.string(),
                               workspace_->path("data-bin"))));
    std::ifstream file(golden / "expected.json");
    expected_ = new json(json::parse(file));
  }
  static void TearDownTestSuite() {
    delete workspace_;
    delete expected_;
    workspace_ = nullptr;
    expected_ = nullptr;
  }

  static Arguments evaluation(const json& settings) {
    std::string line = fmt::format(
        "eval-lm data-bin --path {}.safetensors --max-tokens 40 "
        "--output-word-probs --output-word-stats --threads 1",
        settings.at("model").get<std::string>());
    // The default of fairseq is none, even if the model was trained with another mode.
    line += fmt::format(" --sample-break-mode {}", settings.value("sample_break_mode", "none"));
    for (const char* name : {"tokens_per_sample", "context_window"}) {
      std::string flag = name;
      std::replace(flag.begin(), flag.end(), '_', '-');
      if (settings.contains(name))
        line += fmt::format(" --{} {}", flag, settings.at(name).get<int64_t>());
    }
    if (settings.contains("remove_bpe"))
      line += " --remove-bpe";
    return words(line);
  }

  /// Compares the hypotheses of a sentence in JSON lines with those of fairseq.
  static void expect_hypotheses(const std::string& line,
                                const json& of_fairseq,
                                const std::string& where) {
    const json ours = json::parse(line).at("hypotheses");
    ASSERT_EQ(ours.size(), of_fairseq.size()) << where;
    for (size_t i = 0; i < ours.size(); ++i) {
      const auto scores = of_fairseq[i].at("token_scores").get<std::vector<double>>();
      EXPECT_EQ(ours[i].at("symbols"), of_fairseq[i].at("symbols")) << where;
      EXPECT_NEAR(ours[i].at("score"), of_fairseq[i].at("score"), kTolerance) << where;
      EXPECT_THAT(ours[i].at("token_log_probabilities").get<std::vector<double>>(),
                  Pointwise(DoubleNear(kTolerance), scores))
          << where;
    }
  }

  static Workspace* workspace_;
  static json* expected_;
};

Workspace* FairseqLanguageModel::workspace_ = nullptr;
json* FairseqLanguageModel::expected_ = nullptr;

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

TEST_F(FairseqLanguageModel, HasTheLossThatFairseqPrints) {
  for (const json& settings : expected_->at("evaluations")) {
    const CommandResult result = run_well(*workspace_, evaluation(settings));
    const auto lines = lines_of(result.output);
    ASSERT_FALSE(lines.empty());
    EXPECT_EQ(settings.at("summary"), lines.back()) << settings.dump().substr(0, 200);
    EXPECT_THAT(
        result.output,
        HasSubstr(fmt::format("Evaluated {} tokens", settings.at("tokens").get<int64_t>())));
  }
}

TEST_F(FairseqLanguageModel, GivesEachWordTheProbabilityThatFairseqPrints) {
  for (const json& settings : expected_->at("evaluations")) {
    const auto lines = lines_of(run_well(*workspace_, evaluation(settings)).output);
    size_t blocks = 0;
    for (const std::string& line : lines) {
      const size_t space = line.find(' ');
      const auto found = settings.at("words").find(line.substr(0, space));
      if (found == settings.at("words").end() || line.find(" [") == std::string::npos)
        continue;
      ++blocks;
      const auto pairs = split_at(line.substr(space + 1), '\t');
      ASSERT_EQ(pairs.size(), found->size()) << line;
      for (size_t i = 0; i < pairs.size(); ++i) {
        const size_t bracket = pairs[i].rfind(" [");
        EXPECT_EQ((*found)[i][0], pairs[i].substr(0, bracket));
        EXPECT_NEAR(std::stod(pairs[i].substr(bracket + 2)), (*found)[i][1], kTolerance) << line;
      }
    }
    EXPECT_EQ(blocks, settings.at("words").size());
  }
}

TEST_F(FairseqLanguageModel, GivesTheStatisticsThatFairseqPrints) {
  for (const json& settings : expected_->at("evaluations")) {
    std::map<std::string, std::vector<std::string>> found;
    for (const std::string& line : lines_of(run_well(*workspace_, evaluation(settings)).output)) {
      const auto cells = split_at(line, '\t');
      if (cells.size() == 6 && line.find('[') == std::string::npos)
        found[cells[0]] = cells;
    }
    ASSERT_EQ(found.size(), settings.at("statistics").size());
    for (const json& row : settings.at("statistics")) {
      const auto& cells = found.at(row[0]);
      EXPECT_EQ(std::stoll(cells[1]), row[1].get<int64_t>()) << row;
      EXPECT_NEAR(std::stod(cells[2]), row[2], 1e-3) << row;
      EXPECT_EQ(row[3], cells[3]) << row;
      EXPECT_NEAR(std::stod(cells[4]), row[4], 1e-3) << row;
      EXPECT_EQ(std::stoll(cells[5]), row[5].get<int64_t>()) << row;
    }
  }
}

TEST_F(FairseqLanguageModel, ContinuesTextAsFairseqDoes) {
  for (const json& entry : expected_->at("prompts")) {
    const auto prompt = entry.at("prompt").get<std::string>();
    const CommandResult result = run_well(
        *workspace_,
        words(fmt::format("generate --path {}.safetensors --beam 3 --nbest 3 --max-len-a 0 "
                          "--max-len-b 14 --format jsonl --threads 1",
                          entry.at("model").get<std::string>())),
        prompt + "\n");
    expect_hypotheses(result.output,
                      entry.at("hypotheses"),
                      entry.at("model").get<std::string>() + ": " + prompt);
  }
}

TEST_F(FairseqLanguageModel, IsAddedToTranslationAsFairseqAddsIt) {
  for (const json& entry : expected_->at("fusion")) {
    std::string line = fmt::format(
        "generate --path translation.safetensors --lm-path lm.safetensors --lm-weight={} --beam 4 "
        "--nbest 4 --max-len-a 0 --max-len-b 12 --format jsonl --threads 1",
        entry.at("weight").get<double>());
    if (entry.contains("unk_penalty"))
      line += fmt::format(" --unkpen {}", entry.at("unk_penalty").get<double>());
    if (entry.contains("temperature"))
      line += fmt::format(" --temperature {}", entry.at("temperature").get<double>());
    const auto source = entry.at("source").get<std::string>();
    const CommandResult result = run_well(*workspace_, words(line), source + "\n");
    expect_hypotheses(result.output, entry.at("hypotheses"), line + ": " + source);
  }
}

// The language model has no cross-attention.
TEST_F(FairseqLanguageModel, KeepsItsHeadsWhenTheTranslationModelLosesSome) {
  const std::string fused =
      "generate --path translation.safetensors --lm-path lm.safetensors --lm-weight 0.5 --beam 2 "
      "--max-len-a 0 --max-len-b 12 --threads 1 --mask-heads cross.1.1";
  run_well(*workspace_, words(fused), "q1\n");
}

TEST_F(FairseqLanguageModel, IsRejectedWhereItDoesNotFit) {
  const auto rejection = [&](const std::string& line) {
    const CommandResult result = workspace_->run(words(line), "q1\n");
    EXPECT_EQ(result.exit_code, kExitUsage) << line << result.errors;
    return result.errors;
  };
  EXPECT_THAT(rejection("generate --path translation.safetensors --lm-weight 1"),
              HasSubstr("--lm-path"));
  EXPECT_THAT(rejection("generate --path translation.safetensors --lm-path "
                        "translation.safetensors --lm-weight 1"),
              HasSubstr("not a language model"));
  EXPECT_THAT(rejection("generate --path lm.safetensors --format fairseq --print-alignment"),
              HasSubstr("reads no source"));
  EXPECT_THAT(rejection("eval-lm data-bin --path translation.safetensors --skip-self-test"),
              HasSubstr("not a language model, but a model of the task 'translation'"));
  EXPECT_THAT(rejection("eval-lm data-bin --path lm.safetensors --context-window 32"),
              HasSubstr("leaves no room"));
  EXPECT_THAT(rejection("eval-lm data-bin --path lm.safetensors --remove-bpe sentencepiece"),
              HasSubstr("--remove-bpe: 'sentencepiece' is not one of none, subword_nmt"));
  EXPECT_THAT(rejection("validate data-bin --path lm.safetensors -s en -t de"),
              HasSubstr("the model does not translate from one language to another"));
}

/// A model of the digits' English words, trained here.
class TrainedLanguageModel : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    workspace_ = make_workspace();
    write_toy_corpus(*workspace_, 200);
    for (const char* name : {"train", "dev", "test"}) {
      fs::copy_file(workspace_->path(std::string(name) + ".en"), workspace_->path(name));
    }
    run_well(*workspace_,
             words("preprocess --only-source --trainpref train --validpref dev --testpref test "
                   "--destdir lm-bin"));
    run_well(*workspace_, training("checkpoints", 60));
  }
  static void TearDownTestSuite() {
    delete workspace_;
    workspace_ = nullptr;
  }

  static Arguments training(const std::string& save_dir, int updates) {
    return words(fmt::format(
        "train lm-bin --task language_modeling --arch transformer_lm --decoder-embed-dim 32 "
        "--decoder-ffn-embed-dim 64 --decoder-layers 1 --decoder-attention-heads 2 "
        "--share-decoder-input-output-embed --tokens-per-sample 24 --lr 0.005 --lr-scheduler fixed "
        "--max-tokens 400 --threads 1 --save-dir {} --max-update {} --no-plot",
        save_dir,
        updates));
  }
  static double perplexity(const std::string& options) {
    const CommandResult result =
        run_well(*workspace_, words("eval-lm lm-bin --path checkpoints --threads 1 " + options));
    const size_t place = result.output.find("Perplexity: ");
    EXPECT_NE(place, std::string::npos) << result.output;
    return std::stod(result.output.substr(place + 12));
  }

  static Workspace* workspace_;
};

Workspace* TrainedLanguageModel::workspace_ = nullptr;

TEST_F(TrainedLanguageModel, AcceptsPretrainedEmbeddingsOfTheDecoderOnly) {
  workspace_->write("wrong.vec", "1 2\ntwo 1 2\n");
  const auto with = [](const std::string& option) {
    return workspace_->run(training("never", 1) + words(option + " wrong.vec"));
  };
  const CommandResult encoder = with("--encoder-embed-path");
  EXPECT_EQ(encoder.exit_code, kExitUsage);
  EXPECT_THAT(encoder.errors, HasSubstr("transformer_lm has no embeddings of the encoder"));
  const CommandResult decoder = with("--decoder-embed-path");
  EXPECT_EQ(decoder.exit_code, kExitData);
  EXPECT_THAT(decoder.errors, HasSubstr("wrong.vec:1: vectors have 2 numbers"));
}

TEST_F(TrainedLanguageModel, WritesFilesUnderFairseqsNames) {
  for (const char* name : {"dict.txt", "train.bin", "train.idx", "valid.idx", "test.idx"})
    EXPECT_TRUE(workspace_->exists(std::string("lm-bin/") + name)) << name;
}

TEST_F(TrainedLanguageModel, IsMadeFromTextThatTheLogNamesWithoutALanguage) {
  const CommandResult result =
      run_well(*workspace_, words("preprocess --only-source --trainpref train --destdir logged"));
  EXPECT_THAT(result.errors, HasSubstr("[text] Dictionary: "));
  EXPECT_THAT(result.errors, HasSubstr("[text] train: 200 sents"));
}

TEST_F(TrainedLanguageModel, LearnsTheFrequenciesOfItsText) {
  const double trained = perplexity("");
  // The frequencies alone give 10.4, and chance the size of the dictionary.
  EXPECT_LT(trained, 12);
  EXPECT_LT(perplexity("--context-window 8"), trained + 0.5);
  EXPECT_LT(perplexity("--tokens-per-sample 40 --context-window 20"), trained + 0.5)
      << "the model has 24 positions, so the context is shortened";
}

TEST_F(TrainedLanguageModel, HasTheLossOfValidateInBlocksOfTheTraining) {
  const CommandResult validated = run_well(
      *workspace_,
      words("validate lm-bin --path checkpoints --valid-subset test --format json --threads 1"));
  EXPECT_NEAR(json::parse(validated.output).at("ppl"), perplexity(""), 0.006);
}

TEST_F(TrainedLanguageModel, ContinuesAPromptAlsoAnEmptyOne) {
  const CommandResult result =
      run_well(*workspace_,
               words("generate --path checkpoints --sampling --sampling-topk 5 --seed 3 "
                     "--max-len-b 20 --threads 1"),
               "one two\n\n");
  const auto lines = lines_of(result.output);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].starts_with("one two")) << lines[0];
  EXPECT_FALSE(lines[1].empty());
}

TEST_F(TrainedLanguageModel, ResumesToTheSameBits) {
  run_well(*workspace_, training("interrupted", 30));
  run_well(*workspace_, training("interrupted", 60));
  const CommandResult whole = run_well(
      *workspace_,
      words("eval-lm lm-bin --path checkpoints/checkpoint_last --output-word-probs --threads 1"));
  const CommandResult resumed = run_well(
      *workspace_,
      words("eval-lm lm-bin --path interrupted/checkpoint_last --output-word-probs --threads 1"));
  const auto without_times = [](const std::string& text) {
    return text.substr(0, text.find("Evaluated"));
  };
  EXPECT_EQ(without_times(whole.output), without_times(resumed.output));
}

TEST_F(TrainedLanguageModel, IsAdvisedToBeEvaluated) {
  const CommandResult result = run_well(*workspace_, training("advised", 1));
  EXPECT_THAT(result.errors,
              HasSubstr("compute the perplexity with it:\n    phraseq eval-lm lm-bin --path "
                        "advised/checkpoint_best"));
}

TEST_F(TrainedLanguageModel, HasNothingToTranslateInValidation) {
  const auto result = workspace_->run(training("never", 1) + words("--eval-bleu"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, HasSubstr("--eval-bleu: a language model has nothing to translate"));
}

TEST_F(TrainedLanguageModel, NeedsAnArchitectureWithoutEncoder) {
  const CommandResult result =
      workspace_->run(words("train lm-bin --task language_modeling --arch transformer_tiny "
                            "--max-update 1 --save-dir none"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, HasSubstr("--arch transformer_lm"));
}

TEST_F(TrainedLanguageModel, LearnsOneSideOfAPair) {
  run_well(*workspace_, toy_preprocess());
  const CommandResult as_translation =
      workspace_->run(words("train data-bin --arch transformer_lm --max-tokens 400 --max-update 1 "
                            "--save-dir translation"));
  EXPECT_EQ(as_translation.exit_code, kExitUsage);
  EXPECT_THAT(as_translation.errors, HasSubstr("--task language_modeling"));
  Arguments arguments = training("german", 5);
  arguments[1] = "data-bin";
  run_well(*workspace_, arguments + words("-s de"));
  run_well(*workspace_, words("eval-lm data-bin --path german --threads 1"));
  arguments = training("neither", 1);
  arguments[1] = "data-bin";
  EXPECT_THAT(workspace_->run(arguments).errors, HasSubstr("--source-lang"));
}

}  // namespace
}  // namespace phraseq::end_to_end

// Checkpoints and products in 8 bits, as users see them.

#include <cstdlib>
#include <filesystem>

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
using ::testing::HasSubstr;

class Quantized : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    workspace_ = new Workspace;
    write_toy_corpus(*workspace_);
    run("preprocess", toy_preprocess());
    run("train", toy_train("run", 150) + words("--threads 1"));
    run("quantize", words("quantize run small.safetensors"));
  }
  static void TearDownTestSuite() {
    delete workspace_;
    workspace_ = nullptr;
  }

  static void run(const std::string& name, const Arguments& arguments) {
    const CommandResult result = workspace_->run(arguments);
    EXPECT_EQ(result.exit_code, kExitOk) << name << ": " << result.errors;
  }
  static CommandResult translated(const std::string& options) {
    return workspace_->run(words("generate --threads 1 " + options), workspace_->read("test.en"));
  }

  static Workspace* workspace_;
};

Workspace* Quantized::workspace_ = nullptr;

TEST_F(Quantized, TranslatesLikeItsOriginalInEightBits) {
  const CommandResult expected = translated("--path run --quantization int8");
  const CommandResult found = translated("--path small.safetensors");
  ASSERT_EQ(found.exit_code, kExitOk) << found.errors;
  const auto lines = lines_of(found.output), others = lines_of(expected.output);
  ASSERT_EQ(lines.size(), others.size());
  size_t same = 0;
  for (size_t i = 0; i < lines.size(); ++i) same += lines[i] == others[i] ? 1 : 0;
  EXPECT_GE(same + 1, lines.size());  // the embeddings are rounded, too
}

TEST_F(Quantized, IsReadByTheOtherCommands) {
  for (const char* command : {"validate data-bin --path small.safetensors",
                              "inspect small.safetensors",
                              "rescore --source test.en --target test.de --path small.safetensors",
                              "generate data-bin --path small.safetensors --quantization none"}) {
    const CommandResult result = workspace_->run(words(command));
    EXPECT_EQ(result.exit_code, kExitOk) << command << ": " << result.errors;
  }
  EXPECT_THAT(workspace_->run(words("inspect small.safetensors")).output, HasSubstr("int8"));
}

TEST_F(Quantized, IsRejectedByTrainingWithTheReason) {
  const CommandResult result = workspace_->run(
      toy_train("other", 3) + words("--threads 1 --finetune-from-model small.safetensors"));
  EXPECT_EQ(result.exit_code, kExitFormat);
  EXPECT_THAT(result.errors, HasSubstr("quantized to int8"));
}

TEST_F(Quantized, IsScoredByRescoreAsGenerateScoresIt) {
  const CommandResult generated =
      translated("--path run --quantization int8 --format jsonl --beam 3");
  ASSERT_EQ(generated.exit_code, kExitOk) << generated.errors;
  std::string targets;
  std::vector<double> expected;
  for (const std::string& line : lines_of(generated.output)) {
    const auto best = nlohmann::json::parse(line).at("hypotheses").at(0);
    targets += best.at("text").get<std::string>() + '\n';
    expected.push_back(best.at("log_probability").get<double>());
  }
  workspace_->write("found.de", targets);
  const CommandResult rescored = workspace_->run(
      words("rescore --source test.en --target found.de --path run --quantization int8"));
  ASSERT_EQ(rescored.exit_code, kExitOk) << rescored.errors;
  const auto lines = lines_of(rescored.output);
  ASSERT_EQ(lines.size(), expected.size());
  // Rescoring sums attention in another order. If an input is rounded to the next of 255 numbers
  // therefore, a score changes by far more than in fp32.
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_NEAR(std::stod(lines[i]), expected[i], 0.1);
}

TEST_F(Quantized, IsNotExportedAndTheReasonIsGiven) {
  const CommandResult result =
      workspace_->run(words("export --format onnx small.safetensors exported"));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, HasSubstr("is quantized to int8\n  Export the original checkpoint"));
  EXPECT_FALSE(workspace_->exists("exported"));
}

TEST_F(Quantized, NeedsFp32) {
  const CommandResult result = translated("--path run --quantization int8 --precision bf16");
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, HasSubstr("--precision fp32"));
}

TEST_F(Quantized, PrintsAProfileThatNamesTheProducts) {
  const CommandResult result = translated("--path run --profile");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  for (const char* part : {"product 32 × ", "attention", "loading the model", "total"})
    EXPECT_THAT(result.errors, HasSubstr(part));
  EXPECT_EQ(result.output, translated("--path run").output);
}

/// The score in the last line of the output of generate.
double bleu_of(const CommandResult& result) {
  const size_t place = result.output.find("= ");
  EXPECT_NE(place, std::string::npos) << result.output << result.errors;
  return place == std::string::npos ? 0 : std::stod(result.output.substr(place + 2));
}

TEST(QuantizedModelOfFairseq, IsWithinATenthOfAPointOfBleu) {
  const char* data = std::getenv("PHRASEQ_DATA");
  if (data == nullptr)
    GTEST_SKIP() << "PHRASEQ_DATA is not set: no trained model";
  Workspace workspace;
  const std::string folder = (fs::path(data) / "fairseq").string();
  const CommandResult imported = workspace.run(
      words(fmt::format("import fairseq {0}/model.safetensors {0}/options.json {0}/data-bin "
                        "--sentencepiece {0}/spm10k.model --output model.safetensors",
                        folder)));
  ASSERT_EQ(imported.exit_code, kExitOk) << imported.errors;
  const auto translate = [&](const std::string& quantization) {
    return workspace.run(
        words(fmt::format("generate {}/data-bin --path model.safetensors --quiet --quantization {}",
                          folder,
                          quantization)));
  };
  EXPECT_NEAR(bleu_of(translate("int8")), bleu_of(translate("none")), 0.1);
}

}  // namespace
}  // namespace phraseq::end_to_end

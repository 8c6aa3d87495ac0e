#include "core/checkpoint/derived/average.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_choice.h"
#include "core/checkpoint/checkpoint_format.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"

namespace phraseq {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using testing::values_of;
using testing::view;
using testing::write_bytes;

/// A checkpoint in the middle of training: weights, a vocabulary, a subword model, moments.
struct Moment {
  std::vector<float> weight = {1, 2};
  std::string texts = "{}";
  uint8_t blob = 7;
  std::vector<int64_t> shape = {2, 1};
  std::string architecture = "transformer";
  std::string options = R"({"dropout":0.1,"pos":"fairseq"})";
  std::string task = "translation";

  std::string write(const std::string& path) const {
    const std::vector<double> bias = {weight[0] / 3.0};
    const std::vector<uint8_t> blobs = {blob};
    const auto elements = static_cast<int64_t>(weight.size());
    const std::vector<TensorView> tensors = {
        view("weight", DType::kF32, shape, weight),
        view("bias", DType::kF64, {1}, bias),
        view("blob.source_tokenizer", DType::kU8, {1}, blobs),
        view("optimizer.moment", DType::kF32, {elements}, weight)};
    write_checkpoint(
        path,
        {{"architecture", R"({"name":")" + architecture + R"(","options":)" + options + "}"},
         {"task_texts", texts},
         {"train", R"({"state":{},"options":{"criterion":"mine"}})"},
         {"task", R"({"name":")" + task + R"(","file":")" + path + "\"}"},
         {kSelfTestEntry, "of these weights"}},
        tensors);
    return path;
  }
};

std::string average_of(const TemporaryFolder& folder, const std::vector<std::string>& inputs) {
  average_checkpoints(inputs, folder.file("mean"));
  return folder.file("mean");
}

TEST(Average, AveragesOnlyParameters) {
  const TemporaryFolder folder;
  const std::vector<std::string> inputs = {Moment{.weight = {1, -2}}.write(folder.file("a")),
                                           Moment{.weight = {2, 0}}.write(folder.file("b")),
                                           Moment{.weight = {6, 0.5}}.write(folder.file("c"))};
  const auto mean = CheckpointFile::open(average_of(folder, inputs));
  EXPECT_THAT(values_of<float>(*mean.find("weight")), ElementsAre(3, -0.5));
  EXPECT_THAT(values_of<double>(*mean.find("bias")), ElementsAre(1));
  EXPECT_THAT(values_of<uint8_t>(*mean.find("blob.source_tokenizer")), ElementsAre(7));
  EXPECT_EQ(mean.find("optimizer.moment"), nullptr);
  EXPECT_THAT(mean.metadata(),
              ElementsAre(Key("architecture"),
                          Key("averaged"),
                          Key("task"),
                          Key("task_texts"),
                          Pair("training_options", R"({"criterion":"mine"})")));
  EXPECT_THAT(mean.metadata("task"), HasSubstr(folder.file("c")));
  EXPECT_EQ(mean.metadata("averaged"),
            "[{\"file\":\"" + inputs[0] + "\",\"fingerprint\":\"" +
                CheckpointFile::open(inputs[0]).fingerprint() + "\"},{\"file\":\"" + inputs[1] +
                "\",\"fingerprint\":\"" + CheckpointFile::open(inputs[1]).fingerprint() +
                "\"},{\"file\":\"" + inputs[2] + "\",\"fingerprint\":\"" +
                CheckpointFile::open(inputs[2]).fingerprint() + "\"}]");
}

TEST(Average, IsComputedForEachElementOfALargeTensor) {
  const TemporaryFolder folder;
  constexpr int64_t kElements = 150'001;
  std::vector<float> numbers(kElements);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  const std::vector<float> twos(kElements, 2.0F);
  const auto mean = CheckpointFile::open(
      average_of(folder,
                 {Moment{.weight = numbers, .shape = {kElements}}.write(folder.file("a")),
                  Moment{.weight = twos, .shape = {kElements}}.write(folder.file("b"))}));
  const auto found = values_of<float>(*mean.find("weight"));
  ASSERT_EQ(found.size(), numbers.size());
  for (size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], (numbers[i] + 2) / 2) << i;
}

// In float, (1e8 + 1) + 1 - 1e8 loses both ones; the mean of the four is 0.5.
TEST(Average, SumsInDouble) {
  const TemporaryFolder folder;
  std::vector<std::string> inputs;
  for (const float value : {1e8F, 1.0F, 1.0F, -1e8F}) {
    inputs.push_back(
        Moment{.weight = {value, 0}}.write(folder.file(std::to_string(inputs.size()))));
  }
  const auto mean = CheckpointFile::open(average_of(folder, inputs));
  EXPECT_THAT(values_of<float>(*mean.find("weight")), ElementsAre(0.5, 0));
}

TEST(Average, OfOneIsTheSameParameters) {
  const TemporaryFolder folder;
  const auto mean = CheckpointFile::open(
      average_of(folder, {Moment{.weight = {0.1F, 3}}.write(folder.file("a"))}));
  EXPECT_THAT(values_of<float>(*mean.find("weight")), ElementsAre(0.1F, 3));
}

std::string refusal_to_average(const TemporaryFolder& folder, const Moment& other) {
  try {
    average_of(folder, {other.write(folder.file("other")), Moment{}.write(folder.file("last"))});
    return {};
  } catch (const FormatError& problem) {
    EXPECT_FALSE(std::filesystem::exists(folder.file("mean")));
    return problem.message();
  }
}

TEST(Average, RejectsCheckpointsOfDifferentModels) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal_to_average(folder, Moment{.shape = {1, 2}}),
              HasSubstr("weight is F32 [1, 2], not F32 [2, 1]"));
  EXPECT_THAT(refusal_to_average(folder, Moment{.texts = "{\"a\":\"\"}"}),
              HasSubstr("the vocabularies or languages differ"));
  EXPECT_THAT(refusal_to_average(folder, Moment{.blob = 8}),
              HasSubstr("blob.source_tokenizer differs"));
}

TEST(Average, RejectsOtherArchitecturesTasksAndOptions) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal_to_average(folder, Moment{.architecture = "phrasenet"}),
              HasSubstr("the architecture is \"phrasenet\", not \"transformer\""));
  EXPECT_THAT(refusal_to_average(folder, Moment{.task = "other"}),
              HasSubstr("the task is \"other\", not \"translation\""));
  EXPECT_THAT(refusal_to_average(folder, Moment{.options = R"({"dropout":0.3,"pos":"learned"})"}),
              AllOf(HasSubstr("the option pos is \"learned\", not \"fairseq\""),
                    Not(HasSubstr("dropout"))));
}

TEST(Average, AcceptsOtherTrainingOptionsAndNewOnes) {
  const TemporaryFolder folder;
  const std::string options =
      R"({"dropout":0.3,"encoder_layerdrop":0.2,"init":"neutron","new":1,"pos":"fairseq"})";
  EXPECT_EQ(refusal_to_average(folder, Moment{.options = options}), "");
}

TEST(Average, ListsEveryDifferentName) {
  const TemporaryFolder folder;
  testing::write_small(folder.file("small"), 1);
  try {
    average_of(folder, {folder.file("small"), Moment{}.write(folder.file("last"))});
    FAIL();
  } catch (const FormatError& problem) {
    EXPECT_THAT(problem.message(), HasSubstr("bias is missing"));
    EXPECT_THAT(problem.message(), HasSubstr("weight is F32 [3], not F32 [2, 1]"));
    EXPECT_THAT(problem.message(), HasSubstr("blob.source_tokenizer is missing"));
  }
}

TEST(Average, ShowsTenDifferencesAndCountsTheOthers) {
  const TemporaryFolder folder;
  const std::vector<float> values = {1};
  std::vector<TensorView> tensors;
  for (int i = 0; i < 14; ++i)
    tensors.push_back(view("layer" + std::to_string(i), DType::kF32, {1}, values));
  write_checkpoint(folder.file("other"), {{"task_texts", "{\"other\":\"\"}"}}, tensors);
  try {
    average_of(folder, {folder.file("other"), Moment{}.write(folder.file("last"))});
    FAIL();
  } catch (const FormatError& problem) {
    const std::string text = problem.message();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 11) << text;
    EXPECT_THAT(text, HasSubstr(":\n    the vocabularies or languages differ\n"));
    EXPECT_THAT(text, ::testing::EndsWith("\n    and 8 more"));
  }
}

TEST(Average, WritesOverNoneOfItsInputs) {
  const TemporaryFolder folder;
  const std::vector<std::string> inputs = {Moment{}.write(folder.file("a")),
                                           Moment{}.write(folder.file("b"))};
  std::filesystem::create_hard_link(inputs[0], folder.file("same"));
  for (const std::string& output : {inputs[0], inputs[1], folder.file("same")})
    EXPECT_THROW(average_checkpoints(inputs, output), UsageError) << output;
  EXPECT_NE(CheckpointFile::open(inputs[0]).find("optimizer.moment"), nullptr);
}

TEST(Average, RejectsADivergedRun) {
  const TemporaryFolder folder;
  try {
    refusal_to_average(folder, Moment{.weight = {std::numeric_limits<float>::infinity(), 0}});
    FAIL();
  } catch (const DivergenceError& problem) {
    EXPECT_THAT(
        problem.message(),
        HasSubstr(folder.file("other") + ": tensor bias contains values that are not finite"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("mean")));
}

class Choice : public ::testing::Test {
 protected:
  Choice() {
    for (const char* name : {"checkpoint9",
                             "checkpoint10",
                             "checkpoint11",
                             "checkpoint_1_90",
                             "checkpoint_2_100",
                             "checkpoint_2_110",
                             "checkpoint.best_bleu_9.500000",
                             "checkpoint.best_bleu_33.100000",
                             "checkpoint.best_bleu_31.000000"}) {
      add(name);
    }
  }

  void add(const std::string& name) { write_bytes(folder.file(name + ".safetensors"), ""); }

  std::vector<std::string> names(const CheckpointChoice& choice) {
    std::vector<std::string> found;
    for (const auto& path : choose_checkpoints(folder.path(), choice)) {
      found.push_back(std::filesystem::path(path).stem().string());
    }
    return found;
  }

  TemporaryFolder folder;
};

TEST_F(Choice, TakesTheLastEpochsByNumber) {
  EXPECT_THAT(names({.kind = CheckpointKind::kEpoch, .count = 2}),
              ElementsAre("checkpoint10", "checkpoint11"));
  EXPECT_THAT(names({.kind = CheckpointKind::kEpoch, .count = 2, .upper_bound = 10}),
              ElementsAre("checkpoint9", "checkpoint10"));
}

TEST_F(Choice, TakesTheLastUpdates) {
  EXPECT_THAT(names({.kind = CheckpointKind::kUpdate, .count = 1}),
              ElementsAre("checkpoint_2_110"));
  EXPECT_THAT(names({.kind = CheckpointKind::kUpdate, .count = 2, .upper_bound = 100}),
              ElementsAre("checkpoint_1_90", "checkpoint_2_100"));
}

/// As after --reset-dataloader.
TEST_F(Choice, TakesTheLastUpdatesAlsoIfEpochsWereCountedAgain) {
  add("checkpoint_1_120");
  EXPECT_THAT(names({.kind = CheckpointKind::kUpdate, .count = 2}),
              ElementsAre("checkpoint_2_110", "checkpoint_1_120"));
}

TEST_F(Choice, TakesTheBestInTheMetricsDirection) {
  EXPECT_THAT(names({.kind = CheckpointKind::kBest, .count = 2}),
              ElementsAre("checkpoint.best_bleu_31.000000", "checkpoint.best_bleu_33.100000"));
  EXPECT_THAT(names({.kind = CheckpointKind::kBest, .count = 1, .larger_is_better = false}),
              ElementsAre("checkpoint.best_bleu_9.500000"));
}

TEST_F(Choice, AsksForTheMetricWhenThereAreSeveral) {
  add("checkpoint.best_loss_4.000000");
  add("checkpoint.best_loss_3.000000");
  EXPECT_THROW(names({.kind = CheckpointKind::kBest, .count = 1}), UsageError);
  EXPECT_THAT(names({.kind = CheckpointKind::kBest, .count = 1, .metric = "loss"}),
              ElementsAre("checkpoint.best_loss_3.000000"));
}

TEST(LargerIsBetter, IsKnownOfTheUsualMetrics) {
  for (const char* metric : {"bleu", "chrf", "chrf++", "accuracy"})
    EXPECT_EQ(known_direction(metric), true) << metric;
  for (const char* metric : {"loss", "nll_loss", "ppl", "ter"})
    EXPECT_EQ(known_direction(metric), false) << metric;
  EXPECT_EQ(known_direction("comet"), std::nullopt);
}

TEST_F(Choice, AsksForTheDirectionOfAnUnknownMetric) {
  add("checkpoint.best_comet_0.800000");
  CheckpointChoice choice{.kind = CheckpointKind::kBest, .count = 1, .metric = "comet"};
  EXPECT_THROW(names(choice), UsageError);
  choice.larger_is_better = true;
  EXPECT_THAT(names(choice), ElementsAre("checkpoint.best_comet_0.800000"));
}

TEST_F(Choice, RejectsFewerThanAskedFor) {
  try {
    names({.kind = CheckpointKind::kEpoch, .count = 4});
    FAIL();
  } catch (const UsageError& problem) {
    EXPECT_THAT(problem.message(), HasSubstr("3 epoch checkpoints found, 4 requested"));
  }
}

TEST_F(Choice, NamesTheOptionOfTrainingThatWritesTheCheckpoints) {
  try {
    names({.kind = CheckpointKind::kBest, .count = 1, .metric = "loss"});
    FAIL();
  } catch (const UsageError& problem) {
    EXPECT_THAT(problem.message(), HasSubstr("0 best checkpoints found, 1 requested"));
    EXPECT_THAT(problem.hint(), HasSubstr("--keep-best-checkpoints"));
  }
}

}  // namespace
}  // namespace phraseq

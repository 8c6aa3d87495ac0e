// --fp16 on the CPU: the loss scale, its overflows, and resuming.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::HasSubstr;

class Fp16 : public ::testing::Test {
 protected:
  Fp16() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  }

  CommandResult train(const std::string& save_dir, int updates, const std::string& more) {
    return workspace_.run(toy_train(save_dir, updates) + words("--threads 1 --cpu " + more));
  }

  /// The records of an event in metrics.jsonl, with only the given members.
  std::vector<std::string> records(const std::string& save_dir,
                                   const std::string& event,
                                   const std::vector<std::string>& members) const {
    std::vector<std::string> found;
    for (const auto& record : end_to_end::records(workspace_, save_dir, event)) {
      nlohmann::json kept = nlohmann::json::array();
      for (const auto& name : members) kept.push_back(record.at(name));
      found.push_back(kept.dump());
    }
    return found;
  }

  double last_loss(const std::string& save_dir) const {
    return std::stod(losses(workspace_, save_dir).rbegin()->second);
  }

  Workspace workspace_;
};

/// An update with a finite gradient destroys the model; afterwards, every loss scale overflows.
TEST_F(Fp16, ADivergedModelDoesNotReplaceTheLastGoodOne) {
  const std::string more = "--fp16 --disable-validation --keep-last-epochs 1 ";
  ASSERT_EQ(train("run", 3, more).exit_code, kExitOk);
  const auto good = last_tensors(workspace_, "run");
  const CommandResult diverged = train(
      "run", 60, more + "--lr 1e9 --allow-changed lr --clip-norm 0 --allow-changed clip-norm");
  EXPECT_EQ(diverged.exit_code, kExitDivergence) << diverged.errors;
  EXPECT_TRUE(last_tensors(workspace_, "run") == good) << diverged.errors;
}

TEST_F(Fp16, LearnsLikeFp32OnceTheLossScaleFits) {
  // With a loss scale of 2^30, gradients of the logits overflow.
  const CommandResult half =
      train("half", 60, "--fp16 --fp16-init-scale 1073741824 --disable-validation");
  ASSERT_EQ(half.exit_code, kExitOk) << half.errors;
  EXPECT_THAT(half.errors,
              HasSubstr("a gradient overflowed in fp16; the loss scale is 5.36871e+08"));
  const CommandResult single = train("single", 60, "--disable-validation");
  ASSERT_EQ(single.exit_code, kExitOk) << single.errors;

  const auto overflows = records("half", "overflow", {"loss_scale"});
  EXPECT_GE(overflows.size(), 5u);
  EXPECT_LE(overflows.size(), 25u);
  const auto scales = records("half", "train", {"loss_scale"});
  ASSERT_EQ(scales.size(), 60u);
  EXPECT_EQ(scales.back(), overflows.back());
  const auto first = std::stod(losses(workspace_, "single").begin()->second);
  EXPECT_LT(last_loss("single"), 0.8 * first);
  EXPECT_NEAR(last_loss("half"), last_loss("single"), 0.15 * last_loss("single"));
}

TEST_F(Fp16, ResumesWithTheSameBitsAcrossOverflowsAndRescalings) {
  const std::string options = "--fp16 --fp16-init-scale 262144 --fp16-scale-window 3";
  ASSERT_EQ(train("unbroken", 40, options).exit_code, kExitOk);
  ASSERT_EQ(train("resumed", 17, options).exit_code, kExitOk);
  ASSERT_EQ(train("resumed", 40, options).exit_code, kExitOk);
  EXPECT_TRUE(last_tensors(workspace_, "resumed") == last_tensors(workspace_, "unbroken"));
  EXPECT_EQ(losses(workspace_, "resumed"), losses(workspace_, "unbroken"));
  for (const char* event : {"train", "overflow"}) {
    EXPECT_EQ(records("resumed", event, {"updates", "loss_scale"}),
              records("unbroken", event, {"updates", "loss_scale"}));
  }
  // The scale changed both before and after the interruption.
  const auto overflows = records("unbroken", "overflow", {"updates"});
  ASSERT_FALSE(overflows.empty());
  EXPECT_GE(std::stoi(overflows.back().substr(1)), 17) << overflows.back();
}

TEST_F(Fp16, EndsWhereTheLossScaleReachesItsMinimum) {
  const CommandResult result =
      train("run", 40, "--fp16 --fp16-init-scale 1073741824 --min-loss-scale 300000000");
  EXPECT_EQ(result.exit_code, kExitDivergence);
  EXPECT_THAT(result.errors, HasSubstr("the loss scale of --fp16 reached its minimum (3e+08)"));
}

TEST_F(Fp16, NeitherValidatesNorSavesBeforeTheFirstUpdate) {
  const CommandResult result = train("run",
                                     4,
                                     "--fp16 --fp16-init-scale 1073741824 --validate-interval 1000 "
                                     "--validate-interval-updates 2 --save-interval 1000 "
                                     "--save-interval-updates 2");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  ASSERT_EQ(records("run", "overflow", {"updates"}).front(), "[0]");
  EXPECT_THAT(records("run", "valid", {"updates"}), testing::ElementsAre("[2]", "[4]"));
  EXPECT_FALSE(workspace_.exists("run/checkpoint_1_0.safetensors"));
}

TEST_F(Fp16, IsWhatMemoryEfficientFp16Means) {
  ASSERT_EQ(train("one", 3, "--fp16").exit_code, kExitOk);
  ASSERT_EQ(train("other", 3, "--memory-efficient-fp16 --threshold-loss-scale 1").exit_code,
            kExitOk);
  EXPECT_TRUE(last_tensors(workspace_, "one") == last_tensors(workspace_, "other"));
  EXPECT_EQ(train("both", 3, "--fp16 --bf16").exit_code, kExitUsage);
}

TEST_F(Fp16, TranslatesWithTheModel) {
  ASSERT_EQ(train("run", 40, "").exit_code, kExitOk);
  const std::string generate =
      "generate data-bin --path run --gen-subset test --cpu --format "
      "plain --precision ";
  const CommandResult half = workspace_.run(words(generate + "fp16"));
  ASSERT_EQ(half.exit_code, kExitOk) << half.errors;
  const auto expected = lines_of(workspace_.run(words(generate + "fp32")).output);
  const auto found = lines_of(half.output);
  ASSERT_EQ(found.size(), expected.size());
  size_t equal = 0;
  for (size_t i = 0; i < found.size(); ++i) equal += found[i] == expected[i] ? 1 : 0;
  EXPECT_GE(equal * 10, expected.size() * 9);  // near ties may be decided differently
}

}  // namespace
}  // namespace phraseq::end_to_end

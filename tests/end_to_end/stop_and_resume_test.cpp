#include <signal.h>
#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::Combine;
using ::testing::Values;

/// The names (not the bytes) of the tensors that differ between two sets.
std::vector<std::string> differing(const std::map<std::string, std::string>& a,
                                   const std::map<std::string, std::string>& b) {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : a) {
    if (!b.contains(name) || b.at(name) != bytes)
      names.push_back(name);
  }
  for (const auto& [name, bytes] : b) {
    if (!a.contains(name))
      names.push_back(name);
  }
  return names;
}

/// A folder with training data.
class WithData : public ::testing::Test {
 protected:
  WithData() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  }

  void expect_success(const Arguments& arguments) {
    const CommandResult result = workspace_.run(arguments);
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  }

  Workspace workspace_;
};

/// Parameters: --threads, --update-freq.
class Resume : public WithData, public ::testing::WithParamInterface<std::tuple<int, int>> {
 protected:
  static Arguments train(const std::string& save_dir, int updates) {
    return toy_train(save_dir, updates) + Arguments{"--threads",
                                                    std::to_string(std::get<0>(GetParam())),
                                                    "--update-freq",
                                                    std::to_string(std::get<1>(GetParam()))};
  }
};

TEST_P(Resume, SeventeenUpdatesAndTwentyThreeMoreEqualForty) {
  expect_success(train("unbroken", 40));
  expect_success(train("resumed", 17));
  const auto after_17 = last_tensors(workspace_, "resumed");
  expect_success(train("resumed", 40));

  const auto expected = last_tensors(workspace_, "unbroken");
  // Parameters, and two moments of each or all moments in one piece.
  EXPECT_GT(expected.size(), 40u);
  EXPECT_THAT(differing(after_17, expected), ::testing::Not(::testing::IsEmpty()));
  EXPECT_THAT(differing(last_tensors(workspace_, "resumed"), expected), ::testing::IsEmpty());
  EXPECT_EQ(losses(workspace_, "unbroken").size(), 40u);
  EXPECT_EQ(losses(workspace_, "resumed"), losses(workspace_, "unbroken"));
}

INSTANTIATE_TEST_SUITE_P(ThreadsAndAccumulation,
                         Resume,
                         Combine(Values(1, 2), Values(1, 3)),
                         [](const auto& parameters) {
                           return "Threads" + std::to_string(std::get<0>(parameters.param)) +
                                  "Accumulate" + std::to_string(std::get<1>(parameters.param));
                         });

/// Parameter: how batches are grouped into updates, in three epochs of a few updates each, whose
/// last update is smaller than the others.
class ResumeWithGroups : public WithData, public ::testing::WithParamInterface<const char*> {
 protected:
  static Arguments train(const std::string& save_dir, int updates) {
    return toy_train(save_dir, updates) + words("--threads 1 --max-epoch 3") + words(GetParam());
  }

  /// The lines of metrics.jsonl about the ends of epochs, without measured times.
  std::vector<std::string> epochs(const std::string& save_dir) const {
    std::vector<std::string> found;
    for (const auto& record : records_without_times(workspace_, save_dir, "epoch"))
      found.push_back(record.dump());
    return found;
  }
};

TEST_P(ResumeWithGroups, EqualsTheUnbrokenRunWhereverItStopped) {
  expect_success(train("unbroken", 1000));
  const auto expected = last_tensors(workspace_, "unbroken");
  const auto all_losses = losses(workspace_, "unbroken");
  ASSERT_EQ(epochs("unbroken").size(), 3u);
  ASSERT_EQ(all_losses.size() % 3, 0u);
  const int in_epoch = static_cast<int>(all_losses.size()) / 3;
  ASSERT_GE(in_epoch, 2);
  // Stops before the smaller group, after it (before the end of the epoch), and in the next epoch.
  for (const int updates : {in_epoch - 1, in_epoch, in_epoch + 1}) {
    const std::string folder = "stopped" + std::to_string(updates);
    expect_success(train(folder, updates));
    expect_success(train(folder, 1000));
    EXPECT_THAT(differing(last_tensors(workspace_, folder), expected), ::testing::IsEmpty());
    EXPECT_EQ(losses(workspace_, folder), all_losses) << folder;
    EXPECT_EQ(epochs(folder), epochs("unbroken")) << folder;
    EXPECT_TRUE(workspace_.exists(folder + "/checkpoint3.safetensors")) << folder;
  }
}

INSTANTIATE_TEST_SUITE_P(UpdateFreqAndTokens,
                         ResumeWithGroups,
                         Values("--update-freq 2 --max-tokens 220",
                                "--update-freq 4 --max-tokens 220",
                                "--accumulate-to-tokens 500 --max-tokens 220"),
                         [](const auto& parameter) {
                           return "Case" + std::to_string(parameter.index);
                         });

TEST(Stop, TheTerminationSignalSavesAndTheSameCommandContinuesToTheSameEnd) {
  Workspace workspace;
  write_toy_corpus(workspace);
  ASSERT_EQ(workspace.run(toy_preprocess()).exit_code, kExitOk);

  const Arguments one_thread = words("--threads 1");
  // Far more updates than the test waits for; it stops the run when a few are recorded.
  RunningCommand training = workspace.start(toy_train("stopped", 1'000'000) + one_thread);
  const auto has_begun = [&] {
    return workspace.exists("stopped/metrics.jsonl") && losses(workspace, "stopped").size() >= 5;
  };
  ASSERT_TRUE(wait_until([&] { return has_begun() || !training.is_running(); }));
  training.send(SIGTERM);
  const CommandResult result = training.wait();
  ASSERT_EQ(result.exit_code, 128 + SIGTERM) << result.errors;
  EXPECT_THAT(result.errors, ::testing::HasSubstr("signal 15; the same command continues the run"));

  const int finished = losses(workspace, "stopped").rbegin()->first;
  ASSERT_EQ(workspace.run(toy_train("stopped", finished + 5) + one_thread).exit_code, kExitOk);
  ASSERT_EQ(workspace.run(toy_train("unbroken", finished + 5) + one_thread).exit_code, kExitOk);
  EXPECT_THAT(differing(last_tensors(workspace, "stopped"), last_tensors(workspace, "unbroken")),
              ::testing::IsEmpty());
  EXPECT_EQ(losses(workspace, "stopped"), losses(workspace, "unbroken"));
}

}  // namespace
}  // namespace phraseq::end_to_end

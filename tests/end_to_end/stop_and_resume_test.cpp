#include <chrono>
#include <signal.h>
#include <string>
#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::Combine;
using ::testing::Values;

/// The names that differ, not the bytes, when two sets of tensors are not the same.
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

/// Parameters: --threads, --update-freq.
class Resume : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  Resume() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  }

  Arguments train(const std::string& save_dir, int updates) const {
    return toy_train(save_dir, updates) + Arguments{"--threads",
                                                    std::to_string(std::get<0>(GetParam())),
                                                    "--update-freq",
                                                    std::to_string(std::get<1>(GetParam()))};
  }

  void expect_success(const Arguments& arguments) {
    const CommandResult result = workspace_.run(arguments);
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  }

  Workspace workspace_;
};

TEST_P(Resume, SeventeenUpdatesAndTwentyThreeMoreEqualForty) {
  expect_success(train("unbroken", 40));
  expect_success(train("resumed", 17));
  const auto after_17 = last_tensors(workspace_, "resumed");
  expect_success(train("resumed", 40));

  const auto expected = last_tensors(workspace_, "unbroken");
  EXPECT_GT(expected.size(), 40u);  // parameters and two moments each, or moments in one piece
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

TEST(Stop, TheTerminationSignalSavesAndTheSameCommandGoesOnToTheSameEnd) {
  Workspace workspace;
  write_toy_corpus(workspace);
  ASSERT_EQ(workspace.run(toy_preprocess()).exit_code, kExitOk);

  const Arguments one_thread = words("--threads 1");
  // Far more updates than the test waits for; stopped as soon as a few are written down.
  RunningCommand training = workspace.start(toy_train("stopped", 1'000'000) + one_thread);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto has_begun = [&] {
    return workspace.exists("stopped/metrics.jsonl") && losses(workspace, "stopped").size() >= 5;
  };
  while (training.is_running() && !has_begun()) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  training.send(SIGTERM);
  const CommandResult result = training.wait();
  ASSERT_EQ(result.exit_code, 128 + SIGTERM) << result.errors;

  const int finished = losses(workspace, "stopped").rbegin()->first;
  ASSERT_EQ(workspace.run(toy_train("stopped", finished + 5) + one_thread).exit_code, kExitOk);
  ASSERT_EQ(workspace.run(toy_train("unbroken", finished + 5) + one_thread).exit_code, kExitOk);
  EXPECT_THAT(differing(last_tensors(workspace, "stopped"), last_tensors(workspace, "unbroken")),
              ::testing::IsEmpty());
  EXPECT_EQ(losses(workspace, "stopped"), losses(workspace, "unbroken"));
}

}  // namespace
}  // namespace phraseq::end_to_end

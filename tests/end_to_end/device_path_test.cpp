// Training with the operators that a GPU uses (PHRASEQ_OPERATORS=1), which settles an update while
// the next one is running. All files must be the same as with each update settled at once.

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class DevicePath : public ::testing::Test {
 protected:
  DevicePath() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
    setenv("PHRASEQ_OPERATORS", "1", 1);
  }
  ~DevicePath() override { unsetenv("PHRASEQ_OPERATORS"); }

  CommandResult train(const std::string& save_dir, int updates, const std::string& more) {
    return workspace_.run(
        toy_train(save_dir, updates) +
        words("--plugin-dir " THROWING_PLUGIN_FOLDER " --arch throwing --threads 1 " + more));
  }
  /// The step count in Adam's bias correction.
  int64_t optimizer_steps(const std::string& save_dir) {
    const auto file =
        CheckpointFile::open(resolve_checkpoint(workspace_.path(save_dir + "/checkpoint_last")));
    return nlohmann::json::parse(file.metadata().at("train")).at("optimizer_steps");
  }
  void expect_same(const std::string& later, const std::string& at_once) {
    EXPECT_EQ(last_tensors(workspace_, later), last_tensors(workspace_, at_once));
    for (const char* event : {"epoch", "valid", "bad_update"}) {
      const auto found = records(workspace_, later, event),
                 expected = records(workspace_, at_once, event);
      ASSERT_EQ(found.size(), expected.size()) << event;
      for (size_t i = 0; i < found.size(); ++i) {
        for (const char* name : {"updates", "loss", "gradient_norm", "clipped", "sentence_ids"}) {
          if (expected[i].contains(name)) {
            EXPECT_EQ(found[i].value(name, nlohmann::json()), expected[i].at(name))
                << event << ' ' << name;
          }
        }
      }
    }
  }

  Workspace workspace_;
};

/// --log-interval 1 needs the sums of every update at once.
TEST_F(DevicePath, WritesTheSameWhenUpdatesAreSettledLater) {
  for (const std::string& more : {std::string("--validate-interval-updates 4"),
                                  std::string("--update-freq 2 --save-interval-updates 3")}) {
    ASSERT_EQ(train("at_once", 17, more + " --log-interval 1").exit_code, kExitOk);
    ASSERT_EQ(train("later", 17, more + " --log-interval 1000").exit_code, kExitOk);
    expect_same("later", "at_once");
    ASSERT_EQ(std::system(
                  ("rm -r " + workspace_.path("later") + " " + workspace_.path("at_once")).c_str()),
              0);
  }
}

TEST_F(DevicePath, SkipsAnUpdateThatIsNotFiniteAndItsStep) {
  const std::string bad = "--nan-in 3,7,8 --disable-validation ";
  const auto at_once = train("at_once", 12, bad + "--log-interval 1");
  const auto later = train("later", 12, bad + "--log-interval 1000");
  ASSERT_EQ(at_once.exit_code, kExitOk) << at_once.errors;
  ASSERT_EQ(later.exit_code, kExitOk) << later.errors;
  EXPECT_THAT(records(workspace_, "later", "bad_update"), SizeIs(3));
  EXPECT_THAT(later.errors, HasSubstr("update 3 skipped: the loss is nan;"));
  expect_same("later", "at_once");
  EXPECT_EQ(optimizer_steps("later"), 12);
}

TEST_F(DevicePath, ResumesWithTheSameBits) {
  const std::string more = "--log-interval 1000 --disable-validation --nan-in 2";
  ASSERT_EQ(train("whole", 12, more).exit_code, kExitOk);
  ASSERT_EQ(train("parts", 5, more).exit_code, kExitOk);
  ASSERT_EQ(train("parts", 12, "--log-interval 1000 --disable-validation --allow-changed nan-in")
                .exit_code,
            kExitOk);
  EXPECT_EQ(last_tensors(workspace_, "parts"), last_tensors(workspace_, "whole"));
}

TEST_F(DevicePath, EndsARunThatDivergesWithTheSentencesOfItsLastUpdate) {
  const std::string more = "--nan-in 4,5,6,7,8 --max-bad-updates 3 --disable-validation ";
  ASSERT_EQ(train("at_once", 50, more + "--log-interval 1").exit_code, kExitDivergence);
  ASSERT_EQ(train("later", 50, more + "--log-interval 1000").exit_code, kExitDivergence);
  EXPECT_EQ(workspace_.read("later/diverged_batch.json"),
            workspace_.read("at_once/diverged_batch.json"));
}

}  // namespace
}  // namespace phraseq::end_to_end

// A save that fails or is killed leaves either the old or the new checkpoint, complete, and nothing
// else once the next run has started.

#include <csignal>
#include <cstdlib>
#include <random>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "core/base/error.h"
#include "core/base/posix/wait_for_child.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::small_value;
using testing::write_small;

/// Runs `work` in a process of its own; an exception becomes the exit status.
template <class Work>
pid_t start(Work work) {
  const pid_t child = ::fork();
  if (child != 0)
    return child;
  try {
    work();
    ::_exit(kExitOk);
  } catch (const Error& problem) {
    ::_exit(problem.exit_code());
  } catch (...) {
    ::_exit(kExitBug);
  }
}

template <class Work>
int run_apart(Work work) {
  return wait_for_child(start(work));
}

bool was_killed(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }

class Failpoint : public ::testing::TestWithParam<const char*> {
 protected:
  bool is_behind_the_rename() const {
    return std::string_view(GetParam()) == "after_rename" ||
           std::string_view(GetParam()) == "fsync_folder";
  }

  /// Saves 2 over `path`, with `action` at the failpoint.
  int save_with(const std::string& action, const std::string& path) const {
    return run_apart([&] {
      ::setenv("PHRASEQ_FAILPOINT",
               ("atomic_file." + std::string(GetParam()) + ":" + action).c_str(),
               1);
      write_small(path, 2);
    });
  }
};

TEST_P(Failpoint, LeavesAWholeCheckpointWhenKilledThere) {
  const TemporaryFolder temporary;
  write_small(temporary.file("checkpoint1.safetensors"), 1);
  EXPECT_TRUE(was_killed(save_with("kill", temporary.file("checkpoint1.safetensors"))));
  EXPECT_EQ(small_value(temporary.file("checkpoint1.safetensors")), is_behind_the_rename() ? 2 : 1);

  const CheckpointFolder next_run(temporary.path());
  EXPECT_THAT(temporary.names(), ElementsAre(".lock", "checkpoint1.safetensors"));
}

TEST_P(Failpoint, LeavesAWholeCheckpointWhenTheDiskIsFullThere) {
  const TemporaryFolder temporary;
  write_small(temporary.file("checkpoint1.safetensors"), 1);
  const int status = save_with(std::to_string(ENOSPC), temporary.file("checkpoint1.safetensors"));
  const bool only_a_kill_can_happen_there = std::string_view(GetParam()) == "after_rename";
  EXPECT_EQ(WEXITSTATUS(status), only_a_kill_can_happen_there ? kExitOk : kExitIo);
  EXPECT_EQ(small_value(temporary.file("checkpoint1.safetensors")), is_behind_the_rename() ? 2 : 1);
  EXPECT_THAT(temporary.names(), ElementsAre("checkpoint1.safetensors"));

  write_small(temporary.file("checkpoint1.safetensors"), 3);  // there is space again
  EXPECT_EQ(small_value(temporary.file("checkpoint1.safetensors")), 3);
}

INSTANTIATE_TEST_SUITE_P(
    AtomicFile,
    Failpoint,
    ::testing::Values(
        "reserve", "write", "fsync", "close", "before_rename", "after_rename", "fsync_folder"),
    [](const auto& point) { return std::string(point.param); });

TEST(CheckpointFault, SurvivesAFileSizeLimit) {
  const TemporaryFolder temporary;
  write_small(temporary.file("checkpoint1.safetensors"), 1);
  const std::vector<float> values(100'000, 2.5F);
  const int status = run_apart([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{64 * 1024, 64 * 1024};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::vector<TensorView> tensors = {
        testing::view("weight", DType::kF32, {100'000}, values)};
    write_checkpoint(temporary.file("checkpoint1.safetensors"), {}, tensors);
  });
  EXPECT_EQ(WEXITSTATUS(status), kExitIo);
  EXPECT_EQ(small_value(temporary.file("checkpoint1.safetensors")), 1);
  EXPECT_THAT(temporary.names(), ElementsAre("checkpoint1.safetensors"));
}

TEST(CheckpointFault, DoesNotReplaceADevice) { EXPECT_THROW(write_small("/dev/full", 1), IoError); }

/// Saves one checkpoint after the other, as training does, until it is killed.
void save_for_ever(const std::string& path, const std::vector<float>& values) {
  CheckpointFolder folder(path);
  for (int64_t update = 1;; ++update) {
    const std::vector<TensorView> tensors = {
        testing::view("weight", DType::kF32, {static_cast<int64_t>(values.size())}, values)};
    write_checkpoint(folder.update_path(1, update), {}, tensors);
    folder.point(kLastPointer, folder.update_path(1, update));
    folder.retain({.keep_interval_updates = 0}, false, folder.update_path(1, update));
  }
}

TEST(CheckpointFault, ContinuesFromAWholeCheckpointAfterAKillAtAnyTime) {
  const TemporaryFolder temporary;
  const std::vector<float> values(1 << 18, 1.5F);
  std::mt19937 random(7);
  const std::string last = temporary.file(std::string(kLastPointer));
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    const pid_t child = start([&] { save_for_ever(temporary.path(), values); });
    ::usleep(1000 + random() % 60'000);
    // The last kill must come after a save, however slow the disk is; waits five minutes at most.
    for (int i = 0; round == kRounds - 1 && i < 300'000 && ::access(last.c_str(), F_OK) != 0; ++i)
      ::usleep(1000);
    ::kill(child, SIGKILL);
    EXPECT_TRUE(was_killed(wait_for_child(child)));
    const CheckpointFolder next_run(temporary.path());
    if (const auto found = resolve_in_folder(next_run.path(), kLastPointer, /*strict=*/false)) {
      EXPECT_NO_THROW(CheckpointFile::open(*found));
    }
    for (const auto& name : temporary.names())
      EXPECT_THAT(name, ::testing::Not(HasSubstr(".tmp."))) << name;
  }
  EXPECT_TRUE(resolve_in_folder(temporary.path(), kLastPointer, /*strict=*/false));
}

TEST(CheckpointFault, NamesTheProcessThatTrainsInTheFolder) {
  const TemporaryFolder temporary;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = start([&] {
    const CheckpointFolder first(temporary.path());
    if (::write(ready[1], "x", 1) != 1)
      ::_exit(kExitBug);
    ::pause();
  });
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  try {
    const CheckpointFolder second(temporary.path());
    ADD_FAILURE() << "a second training uses the same folder";
  } catch (const UsageError& problem) {
    EXPECT_THAT(problem.message(), HasSubstr("process " + std::to_string(child) + " on "));
  }
  ::kill(child, SIGKILL);
  wait_for_child(child);
  EXPECT_NO_THROW(CheckpointFolder third(temporary.path()));
}

}  // namespace
}  // namespace phraseq

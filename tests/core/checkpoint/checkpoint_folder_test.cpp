#include "core/checkpoint/checkpoint_folder.h"

#include <chrono>
#include <limits>
#include <stdexcept>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/io/atomic_file.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/core/io/child_process.h"
#include "tests/support/file_content.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using testing::small_value;
using ::testing::UnorderedElementsAre;
using testing::write_bytes;
using testing::write_small;

/// Writes a checkpoint that is `age` seconds old.
void write_aged(const std::string& path, float value, int age) {
  write_small(path, value);
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::seconds(age));
}

void damage(const std::string& path) {
  std::string bytes = content_of(path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_bytes(path, bytes);
}

TEST(CheckpointFolder, NamesItsFiles) {
  const TemporaryFolder temporary;
  const CheckpointFolder folder(temporary.file("new/deep"));
  EXPECT_EQ(folder.epoch_path(3), temporary.file("new/deep/checkpoint3.safetensors"));
  EXPECT_EQ(folder.update_path(3, 500), temporary.file("new/deep/checkpoint_3_500.safetensors"));
  EXPECT_EQ(folder.best_path("nll_loss", 3.11949),
            temporary.file("new/deep/checkpoint.best_nll_loss_3.119490.safetensors"));
  EXPECT_THROW(folder.best_path("loss", std::numeric_limits<double>::quiet_NaN()),
               std::invalid_argument);
}

TEST(CheckpointFolder, RejectsASecondTrainingAndNamesTheFirst) {
  const TemporaryFolder temporary;
  const std::string path = temporary.file("run");
  {
    const CheckpointFolder first(path);
    const std::string message = whole_message_of([&] { CheckpointFolder second(path); });
    EXPECT_THAT(message, HasSubstr(path + ": process " + std::to_string(::getpid()) + " on "));
    EXPECT_THROW(CheckpointFolder second(path), UsageError);
  }
  EXPECT_NO_THROW(CheckpointFolder second(path));
}

TEST(CheckpointFolder, IsLockedAgainAfterTheFolderWasReplaced) {
  const TemporaryFolder temporary;
  const std::string path = temporary.file("run");
  CheckpointFolder first(path);
  first.renew_lock();
  fs::rename(path, temporary.file("moved"));
  fs::create_directory(path);
  first.renew_lock();
  EXPECT_THROW(CheckpointFolder second(path), UsageError);
}

TEST(CheckpointFolder, IsNotSharedAfterItWasReplacedAndLockedByAnother) {
  const TemporaryFolder temporary;
  const std::string path = temporary.file("run");
  CheckpointFolder first(path);
  fs::rename(path, temporary.file("moved"));
  const CheckpointFolder second(path);
  EXPECT_THAT(whole_message_of([&] { first.renew_lock(); }),
              HasSubstr("is training in this folder"));
}

TEST(CheckpointFolder, AcceptsLoopsOfLinks) {
  const TemporaryFolder temporary;
  CheckpointFolder folder(temporary.path());
  for (const char* name : {"loop", kLastPointer}) fs::create_symlink(name, temporary.file(name));
  write_small(folder.epoch_path(1), 1);
  EXPECT_EQ(resolve_in_folder(folder.path(), kLastPointer, false), folder.epoch_path(1));
  EXPECT_NO_THROW(CheckpointFolder(temporary.file("other")));
  EXPECT_NO_THROW(remove_stale_temporaries(temporary.path()));
}

TEST(CheckpointFolder, LeavesNoTraceWhenNothingWasWritten) {
  const TemporaryFolder temporary;
  for (const char* name : {"run", "new/deep", "trailing/"})
    EXPECT_EQ(CheckpointFolder(temporary.file(name)).path(), temporary.file(name));
  EXPECT_THAT(temporary.names(), IsEmpty());
  fs::create_directory(temporary.file("run"));
  EXPECT_EQ(CheckpointFolder(temporary.file("run")).path(), temporary.file("run"));
  EXPECT_THAT(temporary.names(), ElementsAre("run"));
  EXPECT_TRUE(fs::is_empty(temporary.file("run")));
}

TEST(CheckpointFolder, StaysWithWhatWasWritten) {
  const TemporaryFolder temporary;
  {
    const CheckpointFolder folder(temporary.file("new/deep"));
    write_bytes(temporary.file("new/deep/metrics.jsonl"), "{}");
  }
  EXPECT_TRUE(fs::exists(temporary.file("new/deep/metrics.jsonl")));
  EXPECT_TRUE(fs::exists(temporary.file("new/deep/.lock")));
}

TEST(CheckpointFolder, RejectsAFolderInPlaceOfAPointer) {
  for (const char* pointer : {kLastPointer, kBestPointer}) {
    const TemporaryFolder temporary;
    fs::create_directory(temporary.file(pointer));
    EXPECT_THAT(whole_message_of([&] { CheckpointFolder(temporary.path()); }),
                HasSubstr(temporary.file(pointer) + ": cannot write: Is a directory"));
  }
}

TEST(CheckpointFolder, RemovesWhatAKilledRunLeft) {
  const TemporaryFolder temporary;
  write_bytes(temporary_name_of(999999999, temporary.file("checkpoint1.safetensors")), "half");
  write_bytes(temporary.file("mine.txt"), "kept");
  const CheckpointFolder folder(temporary.path());
  EXPECT_THAT(temporary.names(), ElementsAre(".lock", "mine.txt"));
}

TEST(CheckpointFolder, FollowsItsPointers) {
  const TemporaryFolder temporary;
  CheckpointFolder folder(temporary.path());
  EXPECT_EQ(resolve_in_folder(folder.path(), kLastPointer, true), std::nullopt);
  write_small(folder.epoch_path(1), 1);
  write_small(folder.epoch_path(2), 2);
  folder.point(kBestPointer, folder.epoch_path(1));
  folder.point(kLastPointer, folder.epoch_path(2));
  EXPECT_THAT(resolve_in_folder(folder.path(), kBestPointer, true), Optional(folder.epoch_path(1)));
  EXPECT_THAT(resolve_in_folder(folder.path(), kLastPointer, true), Optional(folder.epoch_path(2)));
  EXPECT_EQ(
      content_of(temporary.file(kLastPointer)),
      "checkpoint2.safetensors " + CheckpointFile::open(folder.epoch_path(2)).fingerprint() + "\n");
}

TEST(CheckpointFolder, ReplacesALinkInsteadOfTheCheckpointThatItLeadsTo) {
  const TemporaryFolder temporary;
  CheckpointFolder folder(temporary.path());
  write_small(folder.epoch_path(1), 1);
  write_small(folder.epoch_path(2), 2);
  fs::create_symlink("checkpoint1.safetensors", temporary.file(kLastPointer));
  folder.point(kLastPointer, folder.epoch_path(2));
  EXPECT_NO_THROW(CheckpointFile::open(folder.epoch_path(1)));
  EXPECT_THAT(resolve_in_folder(folder.path(), kLastPointer, true), Optional(folder.epoch_path(2)));
}

TEST(CheckpointFolder, DoesNotPointToAFileThatIsNotACheckpoint) {
  const TemporaryFolder temporary;
  CheckpointFolder folder(temporary.path());
  write_bytes(folder.epoch_path(1), "no checkpoint");
  EXPECT_THROW(folder.point(kLastPointer, folder.epoch_path(1)), FormatError);
  fs::copy(PHRASEQ_SOURCE_FOLDER "/tests/golden/checkpoint/foreign.safetensors",
           folder.epoch_path(2));
  EXPECT_THROW(folder.point(kLastPointer, folder.epoch_path(2)), std::invalid_argument);
  EXPECT_FALSE(fs::exists(temporary.file(kLastPointer)));
}

/// Three checkpoints: the pointer names the third, and the second is the newest of the others.
class DamagedTarget : public ::testing::Test {
 protected:
  DamagedTarget() : folder(temporary.path()) {
    write_aged(folder.epoch_path(1), 1, 300);
    write_aged(folder.update_path(2, 20), 2, 200);
    write_aged(folder.epoch_path(3), 3, 100);
    folder.point(kLastPointer, folder.epoch_path(3));
  }

  /// Returns the file that a fallback opens, or its error, and stores its warnings in `warnings`.
  std::string fall_back() {
    ::testing::internal::CaptureStderr();
    std::string taken;
    const std::string problem = whole_message_of([&] {
      taken = resolve_in_folder(folder.path(), kLastPointer, /*strict=*/false).value_or("nothing");
    });
    warnings = ::testing::internal::GetCapturedStderr();
    return problem == kNothingThrown ? taken : problem;
  }

  TemporaryFolder temporary;
  CheckpointFolder folder;
  std::string warnings;
};

TEST_F(DamagedTarget, IsReplacedByTheNewestGoodOneWithAWarning) {
  damage(folder.epoch_path(3));
  EXPECT_EQ(fall_back(), folder.update_path(2, 20));
  EXPECT_THAT(warnings, HasSubstr("tensor \"weight\" has the checksum"));
  EXPECT_THAT(warnings, HasSubstr("using " + folder.update_path(2, 20)));
}

TEST_F(DamagedTarget, IsPassedOverTogetherWithOtherDamage) {
  damage(folder.epoch_path(3));
  damage(folder.update_path(2, 20));
  EXPECT_EQ(fall_back(), folder.epoch_path(1));
}

TEST_F(DamagedTarget, IsAnErrorWhenNothingElseVerifies) {
  damage(folder.epoch_path(3));
  damage(folder.update_path(2, 20));
  damage(folder.epoch_path(1));
  EXPECT_THAT(fall_back(), HasSubstr("none of the 3 checkpoints passes verification"));
}

TEST_F(DamagedTarget, IsRejectedWhenStrict) {
  damage(folder.epoch_path(3));
  EXPECT_THROW(resolve_in_folder(folder.path(), kLastPointer, /*strict=*/true), FormatError);
}

TEST_F(DamagedTarget, MayBeMissing) {
  fs::remove(folder.epoch_path(3));
  EXPECT_THROW(resolve_in_folder(folder.path(), kLastPointer, /*strict=*/true), FormatError);
  EXPECT_EQ(fall_back(), folder.update_path(2, 20));
}

TEST_F(DamagedTarget, MayBeAnotherCheckpointThanTheOnePointedAt) {
  write_small(folder.epoch_path(3), 33);
  EXPECT_THAT(
      whole_message_of([&] { resolve_in_folder(folder.path(), kLastPointer, /*strict=*/true); }),
      HasSubstr("but that file contains"));
  EXPECT_EQ(fall_back(), folder.epoch_path(3));
}

TEST_F(DamagedTarget, HasADamagedPointer) {
  for (const std::string text :
       {"", "x", "../x 0123abcd\n", "x 0123ABCD\n", "x 0123abcd", "a\nb 0123abcd\n"}) {
    write_bytes(temporary.file(kLastPointer), text);
    EXPECT_THROW(resolve_in_folder(folder.path(), kLastPointer, /*strict=*/true), FormatError)
        << text;
    EXPECT_EQ(fall_back(), folder.epoch_path(3)) << text;
    EXPECT_THAT(warnings, HasSubstr("not a checkpoint pointer"));
  }
}

// A run killed between its first checkpoint and the pointer to it.
TEST_F(DamagedTarget, HasNoPointerYet) {
  fs::remove(temporary.file(kLastPointer));
  EXPECT_THROW(resolve_in_folder(folder.path(), kLastPointer, /*strict=*/true), FormatError);
  EXPECT_EQ(fall_back(), folder.epoch_path(3));
  EXPECT_EQ(resolve_in_folder(folder.path(), kBestPointer, /*strict=*/true), std::nullopt);
}

// As after a copy that does not keep the times of files.
TEST(CheckpointFolder, FallsBackToTheCheckpointWithTheMostUpdates) {
  const TemporaryFolder temporary;
  const CheckpointFolder folder(temporary.path());
  const auto write = [&](int64_t update, int age) {
    const std::string path = folder.update_path(1, update);
    write_checkpoint(
        path, {{"train", fmt::format(R"({{"state": {{"updates": {}}}}})", update)}}, {});
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::seconds(age));
    return path;
  };
  write(9, 10);
  const std::string newest = write(10, 30);
  write_aged(folder.epoch_path(1), 1, 0);  // does not record its updates
  write(8, 20);
  EXPECT_THAT(resolve_in_folder(folder.path(), kLastPointer, /*strict=*/false), Optional(newest));
}

TEST(Retention, KeepsTheLastOfEachKind) {
  const TemporaryFolder temporary;
  CheckpointFolder folder(temporary.path());
  for (int i = 8; i <= 11; ++i) {
    write_small(folder.epoch_path(i), 1);
    write_small(folder.update_path(i / 10, i), 1);
  }
  const auto deleted = folder.retain(
      {.keep_interval_updates = 3, .keep_last_epochs = 1}, false, folder.epoch_path(11));
  EXPECT_THAT(deleted,
              UnorderedElementsAre(folder.update_path(0, 8),
                                   folder.epoch_path(8),
                                   folder.epoch_path(9),
                                   folder.epoch_path(10)));
  EXPECT_THAT(temporary.names(),
              ElementsAre(".lock",
                          "checkpoint11.safetensors",
                          "checkpoint_0_9.safetensors",
                          "checkpoint_1_10.safetensors",
                          "checkpoint_1_11.safetensors"));
}

TEST(Retention, KeepsTheBestOfAMetricInItsDirection) {
  for (const bool maximize : {true, false}) {
    const TemporaryFolder temporary;
    CheckpointFolder folder(temporary.path());
    for (const double value : {9.5, 33.1, -2.0}) write_small(folder.best_path("m_x", value), 1);
    for (const double value : {7, 8}) write_small(folder.best_path("other", value), 1);
    write_small(folder.epoch_path(1), 1);
    const RetentionRules rules = {.keep_best_checkpoints = 1, .best_metric = "m_x"};
    const auto deleted = folder.retain(rules, maximize, folder.epoch_path(1));
    EXPECT_THAT(deleted,
                UnorderedElementsAre(folder.best_path("m_x", 9.5),
                                     folder.best_path("m_x", maximize ? -2.0 : 33.1)));
  }
}

TEST(Retention, LeavesTheBestWhoseValuesCannotBeCompared) {
  const TemporaryFolder temporary;
  CheckpointFolder folder(temporary.path());
  for (const double value : {1.0, 2.0, 3.0}) write_small(folder.best_path("loss", value), 1);
  const auto deleted =
      folder.retain({.keep_best_checkpoints = 1,
                     .best_metric = "loss",
                     .is_comparable = [](const CheckpointName& name) { return name.value != 1.0; }},
                    /*maximize=*/false,
                    folder.best_path("loss", 2.0));
  EXPECT_THAT(deleted, ElementsAre(folder.best_path("loss", 3.0)));
}

TEST(Retention, DeletesNothingByDefault) {
  const TemporaryFolder temporary;
  CheckpointFolder folder(temporary.path());
  for (int i = 1; i <= 3; ++i) write_small(folder.epoch_path(i), 1);
  EXPECT_THAT(folder.retain({}, false, folder.epoch_path(3)), IsEmpty());
}

TEST(Retention, NeverDeletesWhatAPointerPointsAtNorTheNewest) {
  const TemporaryFolder temporary;
  CheckpointFolder folder(temporary.path());
  for (int i = 1; i <= 5; ++i) write_small(folder.epoch_path(i), 1);
  folder.point(kBestPointer, folder.epoch_path(1));
  folder.point("checkpoint_of_the_paper", folder.epoch_path(2));
  folder.point(kLastPointer, folder.epoch_path(4));
  write_bytes(temporary.file("notes.txt"), "anything");
  const auto deleted = folder.retain({.keep_last_epochs = 0}, false, folder.epoch_path(5));
  EXPECT_THAT(deleted, ElementsAre(folder.epoch_path(3)));
}

// What a save leaves behind when only the last is to be kept.
TEST(Retention, DeletesCheckpointsThatNothingPointsAt) {
  const TemporaryFolder temporary;
  CheckpointFolder folder(temporary.path());
  for (int update : {10, 20, 30}) write_small(folder.update_path(1, update), 1);
  folder.point(kLastPointer, folder.update_path(1, 30));
  EXPECT_THAT(folder.retain({.keep_interval_updates = 0}, false, folder.update_path(1, 30)),
              ElementsAre(folder.update_path(1, 10), folder.update_path(1, 20)));
}

TEST(Retention, KeepsTheBestWhenTheFilesTheyWereCopiedFromAreDeleted) {
  const TemporaryFolder temporary;
  CheckpointFolder folder(temporary.path());
  for (int update : {10, 20}) {
    write_small(folder.update_path(1, update), static_cast<float>(update));
    const std::string best =
        folder.keep_as_best(folder.update_path(1, update), "bleu", update / 8.0);
    EXPECT_EQ(best, folder.best_path("bleu", update / 8.0));
    folder.retain({.keep_interval_updates = 0, .keep_best_checkpoints = 2, .best_metric = "bleu"},
                  true,
                  best);
  }
  EXPECT_THAT(temporary.names(),
              ElementsAre(".lock",
                          "checkpoint.best_bleu_1.250000.safetensors",
                          "checkpoint.best_bleu_2.500000.safetensors"));
  EXPECT_EQ(small_value(folder.best_path("bleu", 1.25)), 10);
  EXPECT_EQ(small_value(folder.best_path("bleu", 2.5)), 20);
}

TEST(Retention, KeepsTheLaterOfTwoEquallyGoodOnes) {
  const TemporaryFolder temporary;
  CheckpointFolder folder(temporary.path());
  for (int update : {10, 20}) {
    write_small(folder.update_path(1, update), static_cast<float>(update));
    folder.keep_as_best(folder.update_path(1, update), "bleu", 33.1);
  }
  EXPECT_EQ(small_value(folder.best_path("bleu", 33.1)), 20);
  EXPECT_EQ(small_value(folder.update_path(1, 10)), 10);
}

TEST(Retention, KeepsTheEarlierOfTwoEquallyGoodOnesUntilTheLaterIsThere) {
  const TemporaryFolder temporary;
  CheckpointFolder folder(temporary.path());
  for (int update : {10, 20})
    write_small(folder.update_path(1, update), static_cast<float>(update));
  folder.keep_as_best(folder.update_path(1, 10), "bleu", 33.1);
  {
    const ActiveFailpoint fails("checkpoint_folder.before_rename:5");
    EXPECT_THROW(folder.keep_as_best(folder.update_path(1, 20), "bleu", 33.1), IoError);
  }
  EXPECT_EQ(small_value(folder.best_path("bleu", 33.1)), 10);
  EXPECT_THAT(temporary.names(),
              ElementsAre(".lock",
                          "checkpoint.best_bleu_33.100000.safetensors",
                          "checkpoint_1_10.safetensors",
                          "checkpoint_1_20.safetensors"));
}

TEST(Retention, TakesAFileAsTheBestTwice) {
  const TemporaryFolder temporary;
  CheckpointFolder folder(temporary.path());
  write_small(folder.epoch_path(1), 7);
  for (int time = 0; time < 2; ++time) folder.keep_as_best(folder.epoch_path(1), "loss", 2);
  EXPECT_EQ(small_value(folder.best_path("loss", 2)), 7);
  EXPECT_THAT(
      temporary.names(),
      ElementsAre(".lock", "checkpoint.best_loss_2.000000.safetensors", "checkpoint1.safetensors"));
}

TEST(Retention, DeletesNothingUnlessTheNewestReads) {
  const TemporaryFolder temporary;
  CheckpointFolder folder(temporary.path());
  for (int i = 1; i <= 2; ++i) write_small(folder.epoch_path(i), 1);
  write_bytes(folder.epoch_path(3), "cut");
  EXPECT_THROW(folder.retain({.keep_last_epochs = 1}, false, folder.epoch_path(3)), FormatError);
  EXPECT_TRUE(fs::exists(folder.epoch_path(1)));
}

TEST(Retention, DeletesNothingWhileAPointerIsDamaged) {
  const TemporaryFolder temporary;
  CheckpointFolder folder(temporary.path());
  for (int i = 1; i <= 3; ++i) write_small(folder.epoch_path(i), 1);
  write_bytes(temporary.file(kBestPointer), "checkpoint1.safetensors");
  EXPECT_THAT(folder.retain({.keep_last_epochs = 1}, false, folder.epoch_path(3)), IsEmpty());
}

TEST(ResolveCheckpoint, TakesAFileAPointerOrAFolder) {
  const TemporaryFolder temporary;
  CheckpointFolder folder(temporary.path());
  EXPECT_THROW(resolve_checkpoint(temporary.path()), UsageError);
  EXPECT_THROW(resolve_checkpoint(temporary.file("nowhere")), IoError);
  EXPECT_THROW(resolve_checkpoint(std::string(5000, 'x')), IoError);
  for (int i = 1; i <= 2; ++i) write_small(folder.epoch_path(i), static_cast<float>(i));
  folder.point(kLastPointer, folder.epoch_path(2));
  EXPECT_EQ(resolve_checkpoint(folder.epoch_path(1)), folder.epoch_path(1));
  EXPECT_EQ(resolve_checkpoint(temporary.file(kLastPointer)), folder.epoch_path(2));
  EXPECT_EQ(resolve_checkpoint(temporary.path()), folder.epoch_path(2));
  // fairseq's names
  EXPECT_EQ(resolve_checkpoint(temporary.file("checkpoint_last.pt")), folder.epoch_path(2));
  EXPECT_EQ(resolve_checkpoint(temporary.file("checkpoint1.pt")), folder.epoch_path(1));
  EXPECT_THROW(resolve_checkpoint(temporary.file("checkpoint7.pt")), IoError);
  folder.point(kBestPointer, folder.epoch_path(1));
  EXPECT_EQ(resolve_checkpoint(temporary.path()), folder.epoch_path(1));
}

TEST(ResolveCheckpoint, RejectsAPointerToAnotherFileThanTheOneNamed) {
  const TemporaryFolder temporary;
  CheckpointFolder folder(temporary.path());
  write_small(folder.epoch_path(1), 1);
  folder.point(kBestPointer, folder.epoch_path(1));
  write_small(folder.epoch_path(1), 7);
  EXPECT_THROW(resolve_checkpoint(temporary.file(kBestPointer)), FormatError);
}

}  // namespace
}  // namespace phraseq

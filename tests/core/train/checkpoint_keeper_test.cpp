#include "core/train/checkpoint_keeper.h"

#include <cerrno>
#include <cmath>
#include <filesystem>
#include <limits>
#include <tuple>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/support/file_content.h"

namespace phraseq {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TrainingProgress position(int64_t epoch, int64_t updates, int64_t finished_epochs) {
  TrainingProgress progress;
  progress.epoch = epoch;
  progress.updates = updates;
  progress.finished_epochs = finished_epochs;
  return progress;
}

/// A keeper with a folder of its own; each checkpoint holds the number of its write.
struct CheckpointKeeperTest : ::testing::Test {
  CheckpointKeeperTest() : folder(files.path()), log(quiet(), files.path()) {}

  static MachineOptions quiet() {
    MachineOptions options;
    options.quiet = true;
    return options;
  }
  CheckpointKeeper keeper(CheckpointOptions options, CheckpointKeeper::Choice choice = {}) {
    const auto write = [this](const std::string& path, bool /*stays*/) {
      if (fails)
        throw IoError(path, "write", ENOSPC);
      phraseq::testing::write_small(path, static_cast<float>(++writes));
    };
    return {{&folder, &state, &log}, std::move(options), std::move(choice), write};
  }
  void validate(CheckpointKeeper& kept, int64_t updates, double value, bool is_best) {
    state.last_validation = {updates, value};
    if (is_best)
      state.best = value;
    kept.note_validation(is_best);
  }
  std::string pointed_at(const char* pointer) const {
    const auto path = resolve_in_folder(folder.path(), pointer, /*strict=*/true);
    return path ? path->substr(path->rfind('/') + 1) : "";
  }

  TemporaryFolder files;
  CheckpointFolder folder;
  TrainingLog log;
  TrainState state;
  int writes = 0;
  bool fails = false;
};

TEST_F(CheckpointKeeperTest, SavesEveryNthUpdateAndPointsAtTheLast) {
  CheckpointOptions options;
  options.save_interval_updates = 10;
  auto kept = keeper(options);
  for (int64_t update = 1; update <= 25; ++update) {
    kept.note_update();
    kept.after_update(position(1, update, 0), /*requested=*/false);
  }
  EXPECT_EQ(writes, 2);
  EXPECT_THAT(pointed_at(kLastPointer), HasSubstr("_20."));
}

TEST_F(CheckpointKeeperTest, SavesAnUpdateOnceHoweverManyAreSkippedAfterIt) {
  CheckpointOptions options;
  options.save_interval_updates = 10;
  auto kept = keeper(options);
  kept.after_update(position(1, 0, 0), /*requested=*/false);
  EXPECT_EQ(writes, 0) << "the first update was skipped";
  kept.note_update();
  for (int skipped = 0; skipped < 3; ++skipped)
    kept.after_update(position(1, 10, 0), /*requested=*/false);
  EXPECT_EQ(writes, 1);
}

TEST_F(CheckpointKeeperTest, SavesAnUpdateOnRequest) {
  auto kept = keeper({});
  kept.after_update(position(1, 7, 0), /*requested=*/false);
  EXPECT_EQ(writes, 0);
  kept.after_update(position(1, 8, 0), /*requested=*/true);
  EXPECT_EQ(writes, 1);
}

TEST_F(CheckpointKeeperTest, SavesEveryNthEpoch) {
  CheckpointOptions options;
  options.save_interval = 2;
  auto kept = keeper(options);
  for (int64_t epoch = 1; epoch <= 5; ++epoch) kept.after_epoch(position(epoch, epoch * 3, epoch));
  EXPECT_EQ(writes, 2);
  EXPECT_THAT(pointed_at(kLastPointer), HasSubstr("checkpoint4."));
}

TEST_F(CheckpointKeeperTest, SavesTheBestAtOnceAndPointsAtIt) {
  CheckpointOptions options;
  options.save_interval = 100;
  auto kept = keeper(options);
  validate(kept, 3, 4.5, /*is_best=*/true);
  kept.after_epoch(position(1, 3, 1));
  EXPECT_THAT(pointed_at(kBestPointer), HasSubstr("checkpoint1."));
  validate(kept, 6, 4.9, /*is_best=*/false);
  kept.after_epoch(position(2, 6, 2));
  EXPECT_EQ(writes, 1);
  EXPECT_THAT(pointed_at(kBestPointer), HasSubstr("checkpoint1."));
}

TEST_F(CheckpointKeeperTest, SavesTheBestAtTheEndOfAnEpochOnce) {
  auto kept = keeper({});
  kept.note_update();
  validate(kept, 3, 4.5, /*is_best=*/true);
  TrainingProgress last_update = position(1, 3, 0);
  last_update.batch = last_update.batches = 3;
  kept.after_update(last_update, /*requested=*/false);
  EXPECT_EQ(writes, 0);
  kept.after_epoch(position(1, 3, 1));
  EXPECT_EQ(writes, 1);
  EXPECT_THAT(pointed_at(kBestPointer), HasSubstr("checkpoint1."));
}

/// If the disk is full when the best model is found, the best of the later ones takes its place.
TEST_F(CheckpointKeeperTest, ReplacesABestOneThatCouldNotBeSaved) {
  CheckpointOptions options;
  options.save_interval = 100;
  options.save_failure = SaveFailure::kWarn;
  auto kept = keeper(options);
  validate(kept, 3, 5.0, /*is_best=*/true);
  kept.after_epoch(position(1, 3, 1));
  fails = true;
  validate(kept, 6, 1.0, /*is_best=*/true);
  kept.after_epoch(position(2, 6, 2));
  EXPECT_EQ(state.saved_best, 5.0);
  fails = false;
  for (const auto& [epoch, value, best] : {std::tuple(3, 5.5, "checkpoint1."),
                                           std::tuple(4, 4.0, "checkpoint4."),
                                           std::tuple(5, 4.5, "checkpoint4."),
                                           std::tuple(6, 3.0, "checkpoint6.")}) {
    validate(kept, epoch * 3, value, /*is_best=*/false);
    kept.after_epoch(position(epoch, epoch * 3, epoch));
    EXPECT_THAT(pointed_at(kBestPointer), HasSubstr(best));
  }
  EXPECT_EQ(state.saved_best, 3.0);
}

/// A diverged model must not take the place of the last good one.
TEST_F(CheckpointKeeperTest, SavesNoModelThatMayHaveDiverged) {
  auto kept = keeper({});
  state.bad_updates_in_a_row = 2;
  kept.note_update();
  kept.after_epoch(position(1, 3, 1));
  EXPECT_EQ(writes, 0);
  validate(kept, 3, 5.0, /*is_best=*/true);
  kept.after_epoch(position(1, 3, 1));
  EXPECT_EQ(writes, 1) << "the validation is finite";
  state.bad_updates_in_a_row = 0;
  validate(kept, 6, std::nan(""), /*is_best=*/false);
  kept.after_epoch(position(2, 6, 2));
  kept.at_end(position(2, 6, 2));
  EXPECT_EQ(writes, 1);
}

/// A run that is killed between moving the two pointers resumes from checkpoint_last and finds the
/// best model again.
TEST_F(CheckpointKeeperTest, MovesThePointerOfTheBestBeforeThatOfTheLast) {
  CheckpointOptions options;
  options.save_failure = SaveFailure::kWarn;
  auto kept = keeper(options);
  std::filesystem::create_directory(files.file(kLastPointer));  // cannot be replaced by a file
  validate(kept, 3, 5.0, /*is_best=*/true);
  kept.after_epoch(position(1, 3, 1));
  EXPECT_THAT(pointed_at(kBestPointer), HasSubstr("checkpoint1."));
}

TEST_F(CheckpointKeeperTest, ForgetsTheBestWhenAnotherValidationBegins) {
  CheckpointOptions options;
  options.save_interval = 100;
  auto kept = keeper(options);
  validate(kept, 3, 4.5, true);
  kept.forget_validation();
  kept.after_epoch(position(1, 3, 1));
  EXPECT_EQ(writes, 0);
}

/// As in fairseq, only checkpoint_last is not written.
TEST_F(CheckpointKeeperTest, WritesEpochsAndIntervalsWithoutLastCheckpoints) {
  CheckpointOptions options;
  options.no_last_checkpoints = true;
  options.save_interval_updates = 10;
  auto kept = keeper(options);
  for (int64_t update = 1; update <= 15; ++update) {
    kept.note_update();
    kept.after_update(position(1, update, 0), /*requested=*/false);
  }
  kept.after_epoch(position(1, 15, 1));
  kept.note_update();
  kept.at_end(position(2, 16, 1));
  EXPECT_THAT(files.names(),
              ::testing::IsSupersetOf({"checkpoint1.safetensors", "checkpoint_1_10.safetensors"}));
  EXPECT_EQ(writes, 2);
  EXPECT_THAT(files.names(), Not(Contains(std::string(kLastPointer))));
}

/// Writes a checkpoint of a run with these options.
void write_of_run(const std::string& path,
                  int64_t updates,
                  const nlohmann::json& options,
                  bool is_temporary = false) {
  TrainState state;
  state.updates = updates;
  const nlohmann::json train = {{"state", state.to_json()},
                                {"options", options},
                                {"position", nlohmann::json::object()},
                                {"optimizer_steps", updates},
                                {"parameter_order", nlohmann::json::array()},
                                {"temporary", is_temporary}};
  const std::vector<float> values = {1, 2, 3};
  const std::vector<TensorView> tensors = {
      phraseq::testing::view("weight", DType::kF32, {3}, values)};
  write_checkpoint(path, {{"train", train.dump()}}, tensors);
}

/// A run does not delete what an earlier run was told to keep, even if it has no such option
/// itself.
TEST_F(CheckpointKeeperTest, DeletesOnlyWhatWasNotMeantToStay) {
  const nlohmann::json every_ten = {{"save_interval_updates", 10}, {"no_epoch_checkpoints", false}};
  write_of_run(folder.update_path(1, 10), 10, every_ten);
  write_of_run(folder.update_path(1, 13), 13, every_ten);
  write_of_run(folder.update_path(1, 14), 14, {{"save_interval_updates", 0}});
  write_of_run(folder.epoch_path(1), 14, every_ten);
  write_of_run(folder.epoch_path(2), 14, {{"no_epoch_checkpoints", true}});
  CheckpointOptions options;
  options.no_epoch_checkpoints = true;
  auto kept = keeper(options);
  for (int64_t update = 20; update <= 21; ++update)
    kept.after_update(position(3, update, 2), /*requested=*/true);
  EXPECT_THAT(files.names(),
              ::testing::IsSupersetOf({"checkpoint1.safetensors", "checkpoint_1_10.safetensors"}));
  EXPECT_THAT(files.names(),
              Not(Contains(::testing::AnyOf("checkpoint2.safetensors",
                                            "checkpoint_1_13.safetensors",
                                            "checkpoint_1_14.safetensors"))));
}

/// A run that was interrupted wrote its last checkpoint only to be resumed from.
TEST_F(CheckpointKeeperTest, DeletesWhatAnEarlierRunWroteOnlyForAPointer) {
  const nlohmann::json every_ten = {{"save_interval_updates", 10}};
  write_of_run(folder.update_path(1, 10), 10, every_ten);
  write_of_run(folder.update_path(1, 13), 13, every_ten, /*is_temporary=*/true);
  folder.point(kLastPointer, folder.update_path(1, 13));
  CheckpointOptions options;
  options.save_interval_updates = 10;
  auto kept = keeper(options);
  kept.note_update();
  kept.after_update(position(2, 20, 1), /*requested=*/false);
  EXPECT_THAT(
      files.names(),
      ::testing::IsSupersetOf({"checkpoint_1_10.safetensors", "checkpoint_2_20.safetensors"}));
  EXPECT_THAT(files.names(), Not(Contains("checkpoint_1_13.safetensors")));
}

/// After --reset-dataloader, epochs are counted from 1 again.
TEST_F(CheckpointKeeperTest, KeepsTheEpochsThatWereTrainedLast) {
  write_of_run(folder.epoch_path(8), 80, {});
  write_of_run(folder.epoch_path(9), 90, {});
  CheckpointOptions options;
  options.keep_last_epochs = 2;
  auto kept = keeper(options);
  for (int64_t epoch = 1; epoch <= 2; ++epoch)
    kept.after_epoch(position(epoch, 90 + epoch * 10, epoch));
  EXPECT_THAT(files.names(),
              ::testing::IsSupersetOf({"checkpoint1.safetensors", "checkpoint2.safetensors"}));
  EXPECT_THAT(
      files.names(),
      Not(Contains(::testing::AnyOf("checkpoint8.safetensors", "checkpoint9.safetensors"))));
}

TEST_F(CheckpointKeeperTest, DeletesFormerBestOnesAndKeepsThoseOfTheInterval) {
  CheckpointOptions options;
  options.save_interval_updates = 3;
  options.keep_interval_updates = 2;
  options.save_interval = 10;
  auto kept = keeper(options);
  for (int64_t update = 1; update <= 8; ++update) {
    kept.note_update();
    validate(kept, update, 9.0 - static_cast<double>(update), /*is_best=*/true);
    kept.after_update(position(1, update, 0), /*requested=*/false);
    validate(kept, update, 9.0 - static_cast<double>(update), /*is_best=*/true);
    kept.after_epoch(position(update, update, update));
  }
  EXPECT_THAT(pointed_at(kBestPointer), HasSubstr("checkpoint8."));
  EXPECT_THAT(
      files.names(),
      ::testing::IsSupersetOf({"checkpoint_1_3.safetensors", "checkpoint_1_6.safetensors"}));
  EXPECT_THAT(files.names(),
              Not(Contains(::testing::AnyOf("checkpoint_1_2.safetensors",
                                            "checkpoint_1_7.safetensors",
                                            "checkpoint1.safetensors",
                                            "checkpoint7.safetensors"))));
  kept.after_update(position(1, 10, 0), /*requested=*/true);
  validate(kept, 11, 0.5, /*is_best=*/true);
  kept.after_update(position(1, 11, 0), /*requested=*/false);
  EXPECT_THAT(
      files.names(),
      ::testing::IsSupersetOf({"checkpoint_1_6.safetensors", "checkpoint_1_10.safetensors"}));
  EXPECT_THAT(files.names(), Not(Contains("checkpoint8.safetensors")));
}

/// After --reset-optimizer, updates are counted from 0 again.
TEST_F(CheckpointKeeperTest, DeletesThoseOfALongerEarlierRunFirst) {
  CheckpointOptions options;
  options.save_interval_updates = 3;
  options.keep_interval_updates = 2;
  auto kept = keeper(options);
  for (const auto& [epoch, update] : {std::pair(2, 9), {2, 12}, {3, 3}, {3, 6}}) {
    kept.note_update();
    kept.after_update(position(epoch, update, epoch - 1), /*requested=*/false);
  }
  EXPECT_THAT(
      files.names(),
      ::testing::IsSupersetOf({"checkpoint_3_3.safetensors", "checkpoint_3_6.safetensors"}));
  EXPECT_THAT(files.names(), Not(Contains("checkpoint_2_12.safetensors")));
}

TEST_F(CheckpointKeeperTest, WritesOnlyBestOnesWithoutLastAndEpochCheckpoints) {
  CheckpointOptions options;
  options.no_last_checkpoints = true;
  options.no_epoch_checkpoints = true;
  auto kept = keeper(options);
  kept.after_epoch(position(1, 3, 1));
  EXPECT_EQ(writes, 0);
  validate(kept, 6, 2.0, true);
  kept.after_epoch(position(2, 6, 2));
  EXPECT_EQ(writes, 1);
  EXPECT_THAT(files.names(), Not(Contains(std::string(kLastPointer))));
}

TEST_F(CheckpointKeeperTest, KeepsTheBestByTheMetricsDirection) {
  CheckpointOptions options;
  options.keep_best_checkpoints = 1;
  options.keep_last_epochs = 1;
  auto kept = keeper(options, {"bleu", /*larger_is_better=*/true});
  const std::pair<double, bool> scores[] = {{20.5, true}, {30.25, true}, {25, false}};
  for (int64_t epoch = 1; epoch <= 3; ++epoch) {
    const auto [value, is_best] = scores[epoch - 1];
    validate(kept, epoch * 10, value, is_best);
    kept.after_epoch(position(epoch, epoch * 10, epoch));
  }
  EXPECT_THAT(files.names(), Contains(HasSubstr("best_bleu_30.25")));
  EXPECT_THAT(files.names(), Not(Contains(HasSubstr("best_bleu_20.5"))));
  EXPECT_THAT(files.names(), Not(Contains(HasSubstr("best_bleu_25"))));
}

TEST_F(CheckpointKeeperTest, KeepsAsBestOnlyWhatWasJustValidatedAndHasAFiniteValue) {
  CheckpointOptions options;
  options.keep_best_checkpoints = 5;
  auto kept = keeper(options);
  validate(kept, 10, std::nan(""), /*is_best=*/false);
  kept.after_epoch(position(1, 10, 1));
  validate(kept, 20, std::numeric_limits<double>::infinity(), /*is_best=*/false);
  kept.after_epoch(position(2, 20, 2));
  EXPECT_THAT(files.names(), Not(Contains(HasSubstr("best_loss"))));
  validate(kept, 30, 4.5, /*is_best=*/true);
  kept.after_epoch(position(3, 30, 3));
  kept.after_epoch(position(4, 40, 4));  // not validated
  EXPECT_THAT(files.names(), Contains(HasSubstr("best_loss")).Times(1));
}

TEST_F(CheckpointKeeperTest, SavesAtTheEndOnlyWhatNoCheckpointHolds) {
  auto kept = keeper({});
  kept.at_end(position(1, 5, 0));
  EXPECT_EQ(writes, 0);
  kept.note_update();
  kept.at_end(position(1, 6, 0));
  kept.at_end(position(1, 6, 0));
  EXPECT_EQ(writes, 1);
}

/// --max-update 10 --save-interval-updates 5: the update was saved before it was validated.
TEST_F(CheckpointKeeperTest, PointsAtABestOneFoundAtTheEnd) {
  auto kept = keeper({});
  kept.note_update();
  kept.after_update(position(1, 10, 0), /*requested=*/true);
  validate(kept, 10, 4.5, /*is_best=*/true);
  kept.at_end(position(1, 10, 0));
  EXPECT_THAT(pointed_at(kBestPointer), HasSubstr("_10."));
  kept.at_end(position(1, 10, 0));
  EXPECT_EQ(writes, 2);
}

TEST_F(CheckpointKeeperTest, StopsOrContinuesWhenAWriteFails) {
  fails = true;
  auto stops = keeper({});
  EXPECT_THROW(stops.after_epoch(position(1, 1, 1)), IoError);
  CheckpointOptions options;
  options.save_failure = SaveFailure::kWarn;
  auto goes_on = keeper(options);
  goes_on.note_update();
  EXPECT_NO_THROW(goes_on.after_epoch(position(1, 1, 1)));
  fails = false;
  goes_on.at_end(position(1, 1, 1));  // saves what could not be written before
  EXPECT_EQ(writes, 1);
  EXPECT_THAT(content_of(files.file("metrics.jsonl")), HasSubstr("save_failure"));
}

TEST_F(CheckpointKeeperTest, DoesNotMistakeTheNextUpdateForABestOneThatWasNotWritten) {
  CheckpointOptions options;
  options.save_failure = SaveFailure::kWarn;
  auto kept = keeper(options);
  validate(kept, 1, 2.0, /*is_best=*/true);
  fails = true;
  kept.after_update(position(1, 1, 0), false);
  fails = false;
  kept.after_update(position(1, 2, 0), false);
  EXPECT_EQ(writes, 0);
  EXPECT_EQ(pointed_at(kBestPointer), "");
}

/// Two processes that save together: only the first has a folder.
TEST_F(CheckpointKeeperTest, CollectsInAllProcessesAndAgreesOnTheResultOfTheFirst) {
  int collected = 0, settled = 0;
  CheckpointOptions options;
  options.save_failure = SaveFailure::kWarn;
  bool first_has_saved = false;
  const auto write = [&](const std::string& path, bool /*stays*/) {
    if (fails)
      throw IoError(path, "write", ENOSPC);
    phraseq::testing::write_small(path, static_cast<float>(++writes));
  };
  const auto settle = [&](bool saved) {
    ++settled;
    return first_has_saved = saved;
  };
  const auto collect = [&] { ++collected; };
  CheckpointKeeper first({&folder, &state, &log}, options, {}, write, {collect, settle});
  const auto hear = [&](bool) { return first_has_saved; };
  CheckpointKeeper second({nullptr, &state, &log},
                          options,
                          {},
                          [](const std::string&, bool) { FAIL(); },
                          {collect, hear});
  const auto both_at = [&](int64_t update) {
    for (CheckpointKeeper* keeper : {&first, &second}) keeper->at_end(position(1, update, 0));
  };
  for (CheckpointKeeper* keeper : {&first, &second}) keeper->note_update();
  fails = true;
  both_at(1);
  EXPECT_EQ(collected, 2);
  fails = false;
  both_at(1);
  EXPECT_EQ(collected, 4) << "both save again what was not saved";
  both_at(1);
  EXPECT_EQ(collected, 4);
  EXPECT_EQ(settled, 2);
  EXPECT_EQ(writes, 1);
}

TEST_F(CheckpointKeeperTest, WritesNothingWithoutAFolder) {
  CheckpointKeeper none({nullptr, &state, &log}, {}, {}, [](const std::string&, bool) { FAIL(); });
  none.note_update();
  none.after_update(position(1, 1, 0), true);
  none.after_epoch(position(1, 1, 1));
  none.at_end(position(1, 1, 1));
}

}  // namespace
}  // namespace phraseq

#include "core/checkpoint/checkpoint_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;
using testing::write_bytes;

TEST(CheckpointName, ReadsEachKind) {
  const auto epoch = parse_checkpoint_name("checkpoint12.safetensors");
  ASSERT_TRUE(epoch);
  EXPECT_EQ(epoch->kind, CheckpointKind::kEpoch);
  EXPECT_EQ(epoch->epoch, 12);

  const auto update = parse_checkpoint_name("checkpoint_3_1200.safetensors");
  ASSERT_TRUE(update);
  EXPECT_EQ(update->kind, CheckpointKind::kUpdate);
  EXPECT_EQ(update->epoch, 3);
  EXPECT_EQ(update->update, 1200);

  const auto best = parse_checkpoint_name("checkpoint.best_nll_loss_-0.250000.safetensors");
  ASSERT_TRUE(best);
  EXPECT_EQ(best->kind, CheckpointKind::kBest);
  EXPECT_EQ(best->metric, "nll_loss");
  EXPECT_EQ(best->value, -0.25);
}

TEST(CheckpointName, KnowsOnlyItsOwnSpelling) {
  for (const char* name : {"checkpoint.safetensors",
                           "checkpoint1.pt",
                           "checkpoint01.safetensors",
                           "checkpoint1x.safetensors",
                           "checkpoint_1.safetensors",
                           "checkpoint_1_2_3.safetensors",
                           "checkpoint_last_77.safetensors",
                           "checkpoint.best_bleu.safetensors",
                           "checkpoint.best_bleu_33.1.safetensors",
                           "checkpoint.best_bleu_nan.safetensors",
                           "checkpoint99999999999999999999.safetensors",
                           "model.safetensors"}) {
    EXPECT_FALSE(parse_checkpoint_name(name)) << name;
  }
}

TEST(CheckpointName, ListsNumbersInTheirOrder) {
  const TemporaryFolder folder;
  for (const char* name : {"checkpoint10.safetensors",
                           "checkpoint9.safetensors",
                           "checkpoint_2_5.safetensors",
                           "checkpoint_1_30.safetensors",
                           "notes.txt"}) {
    write_bytes(folder.file(name), "");
  }
  const auto names = [&](CheckpointKind kind) {
    std::vector<std::string> found;
    for (const auto& name : list_checkpoints(folder.path(), kind))
      found.push_back(name.file_name());
    return found;
  };
  EXPECT_THAT(names(CheckpointKind::kEpoch),
              ElementsAre("checkpoint9.safetensors", "checkpoint10.safetensors"));
  EXPECT_THAT(names(CheckpointKind::kUpdate),
              ElementsAre("checkpoint_1_30.safetensors", "checkpoint_2_5.safetensors"));
  EXPECT_THROW(list_checkpoints(folder.file("nowhere"), CheckpointKind::kEpoch), IoError);
}

}  // namespace
}  // namespace phraseq

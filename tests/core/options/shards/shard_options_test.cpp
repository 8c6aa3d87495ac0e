#include "core/options/shards/shard_options.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Environment with(std::map<std::string, std::string> variables) {
  return [variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

ShardOptions options_of(const std::string& count, int64_t id) {
  ShardOptions options;
  options.num_shards = count;
  options.shard_id = id;
  return options;
}

TEST(Shard, HasEachSentenceInOneShardOfARun) {
  for (const int64_t count : {1, 2, 3, 7}) {
    for (const int64_t total : {0, 1, 2, 6, 7, 8, 100}) {
      std::vector<int64_t> owners(static_cast<size_t>(total), 0);
      for (int64_t index = 0; index < count; ++index) {
        const Shard shard{index, count};
        int64_t size = 0;
        for (int64_t sentence = 0; sentence < total; ++sentence) {
          if (shard.has(sentence)) {
            ++owners[static_cast<size_t>(sentence)];
            ++size;
          }
        }
        EXPECT_EQ(shard.size_of(total), size) << index << " of " << count << ", " << total;
      }
      EXPECT_EQ(owners, std::vector<int64_t>(static_cast<size_t>(total), 1));
    }
  }
}

TEST(ShardOptions, AreThoseOfOneProcessByDefault) {
  const ShardOptions options;
  EXPECT_THAT(options.problems(), IsEmpty());
  EXPECT_FALSE(options.is_sharded());
  EXPECT_EQ(options.shard(with({{"RANK", "1"}, {"WORLD_SIZE", "4"}})), (Shard{0, 1}));
}

TEST(ShardOptions, RejectAShardThatDoesNotExistOrIsNotGiven) {
  EXPECT_THAT(options_of("4", 3).problems(), IsEmpty());
  EXPECT_EQ(options_of("4", 3).shard(with({})), (Shard{3, 4}));
  EXPECT_THAT(options_of("4", 4).problems(),
              ElementsAre("--shard-id is 4, but there are 4 shards (from 0 to 3)"));
  EXPECT_THAT(options_of("4", -1).problems(),
              ElementsAre("--num-shards 4 needs --shard-id, from 0 to 3"));
  EXPECT_THAT(options_of("1", 1).problems(), ElementsAre(HasSubstr("from 0 to 0")));
  for (const char* wrong : {"0", "-2", "x", "2x", ""})
    EXPECT_THAT(options_of(wrong, 0).problems(), ElementsAre(HasSubstr("or auto"))) << wrong;
}

TEST(ShardOptions, TakeTheShardFromTheLauncherWhenAskedTo) {
  const ShardOptions options = options_of("auto", -1);
  EXPECT_THAT(options.problems(), IsEmpty());
  EXPECT_EQ(options.shard(with({{"RANK", "1"}, {"WORLD_SIZE", "4"}})), (Shard{1, 4}));
  EXPECT_EQ(options.shard(with({{"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "3"}})),
            (Shard{2, 3}));
  EXPECT_EQ(options.shard(with({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}})),
            (Shard{0, 2}));
  EXPECT_THROW(options.shard(with({})), UsageError);
  EXPECT_THROW(options.shard(with({{"RANK", "1"}})), UsageError);
  EXPECT_THROW(options.shard(with({{"RANK", "4"}, {"WORLD_SIZE", "4"}})), UsageError);
  EXPECT_THAT(options_of("auto", 1).problems(), ElementsAre(HasSubstr("remove --shard-id")));
}

}  // namespace
}  // namespace phraseq

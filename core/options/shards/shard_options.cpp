#include "core/options/shards/shard_options.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

int64_t count_from(const std::string& text) {
  return whole_number_of("--num-shards", text, 1, kMaxProcesses);
}

}  // namespace

void ShardOptions::describe(OptionTable& table) {
  table
      .field("num-shards",
             num_shards,
             "Divide the sentences into N parts, and process one of them (--shard-id); auto = one "
             "for each process that was started by torchrun, srun or mpirun.")
      .value_name("N|auto");
  table
      .field("shard-id",
             shard_id,
             "Number of the part, from 0: every Nth sentence, beginning with this one.")
      .at_least(-1);
}

std::vector<std::string> ShardOptions::problems() const {
  if (is_auto()) {
    if (shard_id < 0)
      return {};
    return {"--num-shards auto takes the part from the launcher: remove --shard-id"};
  }
  int64_t count = 0;
  try {
    count = count_from(num_shards);
  } catch (const UsageError& error) {
    return {error.message() + ", or auto"};
  }
  if (shard_id >= count)
    return {fmt::format("--shard-id is {}, but there {} (from 0 to {})",
                        shard_id,
                        count == 1 ? "is 1 shard" : fmt::format("are {} shards", count),
                        count - 1)};
  if (count > 1 && shard_id < 0)
    return {fmt::format("--num-shards {} needs --shard-id, from 0 to {}", count, count - 1)};
  return {};
}

std::optional<LaunchedRank> ShardOptions::launched(const Environment& environment) const {
  if (!is_auto())
    return std::nullopt;
  auto found = find_launched_rank(environment);
  if (!found) {
    throw UsageError("--num-shards auto, but no launcher has started this process",
                     "Start the command with torchrun, srun or mpirun, or give --num-shards N "
                     "--shard-id I.");
  }
  return found;
}

Shard ShardOptions::shard(const Environment& environment) const {
  if (const auto place = launched(environment))
    return {place->rank, place->world_size};
  return {std::max<int64_t>(0, shard_id), count_from(num_shards)};
}

}  // namespace phraseq

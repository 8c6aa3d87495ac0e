#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/base/launcher/launched_rank.h"
#include "core/options/option_table.h"
#include "core/options/shards/shard.h"

namespace phraseq {

/// --num-shards and --shard-id: the part of the sentences that a command processes.
struct PHRASEQ_API ShardOptions : Options {
  std::string num_shards = "1";  ///< a number, or "auto": decided by the launcher
  int64_t shard_id = -1;         ///< from 0; -1 = not given

  /// Adds the fields to the section that is being described.
  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;

  bool is_auto() const { return num_shards == "auto"; }
  /// True if the command may process only a part of the sentences; false for one shard.
  bool is_sharded() const { return num_shards != "1"; }
  /// The rank given by the launcher, with "auto". Throws UsageError if no launcher has started this
  /// process.
  std::optional<LaunchedRank> launched(const Environment& environment) const;
  /// The part of this process. Throws like `launched`.
  Shard shard(const Environment& environment) const;
};

}  // namespace phraseq

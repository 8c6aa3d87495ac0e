#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/shards/shard.h"

namespace phraseq {

/// Where a shard's part of `path` is: `PATH.shard-I-of-N`, or `path` itself if there is one shard.
/// A slash at the end of a folder's name is ignored.
PHRASEQ_API std::string shard_path(const std::string& path, const Shard& shard);

/// The existing shards of `path`, all for the same number of shards, by index. `count`: that
/// number; 0 = whatever is found. Throws a DataError that names missing shards, or if there are
/// shards for different numbers.
PHRASEQ_API std::vector<std::string> find_shards(const std::string& path, int64_t count = 0);

}  // namespace phraseq

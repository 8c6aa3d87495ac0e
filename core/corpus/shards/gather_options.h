#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// Which shards are put together, and where to.
struct PHRASEQ_API GatherOptions final : Options {
  std::string name;
  std::string output;
  int64_t num_shards = 0;
  bool delete_shards = false;
  bool overwrite = false;

  void describe(OptionTable& table) override;
  /// `output`, or the name itself.
  const std::string& result() const { return output.empty() ? name : output; }
};

/// Puts the shards together, text or data folders, and removes them if that was asked for. Throws
/// DataError for missing or incomplete shards, and for shards of different runs.
PHRASEQ_API void gather(const GatherOptions& options);

}  // namespace phraseq

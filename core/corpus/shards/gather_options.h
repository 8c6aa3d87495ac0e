#pragma once

#include <cstdint>
#include <string>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// Which shards are combined, and where the result goes.
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

/// Combines the shards (text or data folders) and removes them if requested. Throws
/// DataError for missing or incomplete shards, and for shards of different runs.
PHRASEQ_API void gather(const GatherOptions& options);

}  // namespace phraseq

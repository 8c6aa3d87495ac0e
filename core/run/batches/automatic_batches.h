#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/distributed/process_group.h"
#include "core/options/option_table.h"
#include "core/train/batch_size/trial_passes.h"

namespace phraseq {

/// Everything that determines the size of batches.
struct AutomaticBatches {
  TrialDependencies dependencies;
  PassSettings settings;
  BatchingOptions batching;                  ///< includes a limit that is not automatic
  int64_t reserved_bytes = 0;                ///< memory that training allocates later
  const nlohmann::json* recorded = nullptr;  ///< options of the resumed run; null = a new run
  ProcessGroup* processes = nullptr;
};

/// Replaces "auto" in --max-tokens or --batch-size by the largest number for which a training pass
/// has enough memory in every process, or by the number that the resumed run used. Returns how it
/// was found, for the manifest; nothing if neither is "auto". Throws OutOfMemory if the longest
/// sentence alone does not fit.
PHRASEQ_API std::optional<nlohmann::json> settle_batches(OptionTable& table,
                                                         const AutomaticBatches& request);

}  // namespace phraseq

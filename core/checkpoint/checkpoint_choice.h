#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_name.h"

namespace phraseq {

/// Which checkpoints of a folder to take.
struct CheckpointChoice {
  CheckpointKind kind = CheckpointKind::kEpoch;
  int64_t count = 0;  ///< how many; the last ones, or the best ones
  /// Only epochs, or updates, up to this one (inclusive); not for the best.
  std::optional<int64_t> upper_bound{};
  /// The metric, when the folder has the best of several; empty = the only one.
  std::string metric{};
  /// Whether larger is better; nothing = as known for the metric.
  std::optional<bool> larger_is_better{};
};

/// Paths in the order of their names; for the best, beginning with the worst of them. Throws
/// UsageError if there are fewer than requested, if the metric is ambiguous, or if its direction is
/// unknown.
PHRASEQ_API std::vector<std::string> choose_checkpoints(const std::string& folder,
                                                        const CheckpointChoice& choice);

/// Whether a larger value is better, for the metrics that phraseq has; nothing for others.
PHRASEQ_API std::optional<bool> known_direction(const std::string& metric);

}  // namespace phraseq

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Why a checkpoint was written, as in its file name.
enum class CheckpointKind {
  kEpoch,   ///< checkpointEPOCH.safetensors
  kUpdate,  ///< checkpoint_EPOCH_UPDATE.safetensors
  kBest,    ///< checkpoint.best_METRIC_VALUE.safetensors
};

/// The fields of a checkpoint's file name; fields that the kind does not have are zero or empty.
struct PHRASEQ_API CheckpointName {
  CheckpointKind kind = CheckpointKind::kEpoch;
  int64_t epoch = 0;
  int64_t update = 0;
  std::string metric{};
  double value = 0;

  /// The file's name. `value` is written with six decimals.
  std::string file_name() const;
};

/// Null for any other name; for checkpoints of phraseq, `parse(name)->file_name() == name`.
PHRASEQ_API std::optional<CheckpointName> parse_checkpoint_name(std::string_view file_name);

/// The checkpoints of one kind in a folder, first to last: epochs and updates ascending, best by
/// value ascending. Only names are read. Throws IoError when the folder cannot be read.
PHRASEQ_API std::vector<CheckpointName> list_checkpoints(const std::string& folder,
                                                         CheckpointKind kind);

}  // namespace phraseq

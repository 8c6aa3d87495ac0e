#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"

namespace phraseq {

/// The metadata entry of a checkpoint without the state of training: all options of the training
/// by name.
inline constexpr const char* kTrainingOptionsEntry = "training_options";

/// The metadata of a checkpoint with other weights that is made from `file`: without the self-test,
/// and only the options of the training instead of its state.
std::map<std::string, std::string> metadata_for_other_weights(const CheckpointFile& file);

/// All options of the training of a checkpoint by name, also of an average and of a quantized
/// checkpoint; empty if they are not recorded, as in an imported one.
PHRASEQ_API nlohmann::json recorded_training_options(const CheckpointFile& file);

}  // namespace phraseq

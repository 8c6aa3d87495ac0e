#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/plugin/training_defaults.h"
#include "core/train/options/optimization_options.h"

/// How `phraseq train` uses the training configuration of a preset. The user's values take
/// precedence; values from the preset have the origin "preset" in the run manifest.
namespace phraseq {

/// Applies the preset's names of criterion, optimizer and scheduler; call it before these
/// components are selected. A criterion that the architecture declares is kept.
PHRASEQ_API void take_component_names(const TrainingDefaults& defaults,
                                      bool architecture_declares_criterion,
                                      OptionTable& table);

/// Applies the preset's values of options, and the encoder's dimensions to the decoder; call it
/// after the selected components have described their options.
PHRASEQ_API void take_option_values(const TrainingDefaults& defaults,
                                    std::span<const std::string> arguments,
                                    OptionTable& table);

/// Shares all embeddings if the preset asks for it, the dictionary is joined, and the user does not
/// choose otherwise.
PHRASEQ_API void tie_embeddings(const TrainingDefaults& defaults, bool joined, OptionTable& table);

/// The number of updates in a whole run, or nothing if only time or patience limits it.
PHRASEQ_API std::optional<int64_t> expected_updates(const OptimizationOptions& options,
                                                    int64_t batches_in_epoch);

/// Sets --warmup-updates to the preset's share of the run. A resumed run keeps the value that its
/// checkpoint recorded, even if its length has changed.
PHRASEQ_API void take_warmup(const TrainingDefaults& defaults,
                             std::optional<int64_t> run_length,
                             const nlohmann::json& recorded_options,
                             OptionTable& table);

}  // namespace phraseq

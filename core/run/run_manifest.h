#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/nn/flat_parameters.h"
#include "core/options/option_table.h"
#include "core/plugin/registry.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// The number of trainable parameters; the buffer that holds them is slightly larger, for
/// alignment.
PHRASEQ_API int64_t parameter_count(const nn::FlatParameters& parameters);

/// Describes a run: written to SAVE_DIR/run.json at the start, so that the run can be distinguished
/// from others and repeated (docs/formats/run_manifest.md): command line, every option with its
/// origin, build and plugins with checksums, vocabulary and data fingerprints, seed, device,
/// threads.
PHRASEQ_API nlohmann::json run_manifest(std::span<const std::string> arguments,
                                        const OptionTable& table,
                                        std::span<const LoadedPlugin> plugins,
                                        const TranslationModel& translation_model,
                                        const std::string& data_fingerprint);

}  // namespace phraseq

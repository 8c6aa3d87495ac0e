#pragma once

#include <vector>

#include "core/plugin/registry.h"

namespace phraseq::transformer_lm {

/// fairseq 0.12.2's named sizes of `transformer_lm` that need no adaptive inputs or outputs.
std::vector<Preset> language_model_presets();

}  // namespace phraseq::transformer_lm

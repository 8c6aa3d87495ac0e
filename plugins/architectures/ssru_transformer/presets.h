#pragma once

#include <vector>

#include "core/plugin/registry.h"

namespace phraseq {

/// The size of transformer_tiny.
std::vector<Preset> ssru_transformer_presets();

}  // namespace phraseq

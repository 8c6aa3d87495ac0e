#pragma once

#include <vector>

#include "core/plugin/registry.h"

namespace phraseq::ssru_transformer {

/// The size of transformer_tiny.
std::vector<Preset> ssru_transformer_presets();

}  // namespace phraseq::ssru_transformer

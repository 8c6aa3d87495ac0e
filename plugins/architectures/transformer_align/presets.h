#pragma once

#include <vector>

#include "core/plugin/registry.h"

namespace phraseq::transformer_align {

/// fairseq 0.12's transformer_wmt_en_de_big_align, and the size of transformer_tiny.
std::vector<Preset> transformer_align_presets();

}  // namespace phraseq::transformer_align

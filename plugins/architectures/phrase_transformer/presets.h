#pragma once

#include <vector>

#include "core/plugin/registry.h"

namespace phraseq::phrase_transformer {

/// The published settings of Nguyen & Nguyen 2022, the paper's equations to the letter, the
/// per-head variant, and a small family. Every preset sets every switch.
std::vector<Preset> phrase_transformer_presets();

}  // namespace phraseq::phrase_transformer

#pragma once

#include <vector>

#include "core/plugin/registry.h"

namespace phraseq::phrase_rep {

/// The rows of Xu et al.'s tables 1 and 2, and the choices of the published code. Every preset sets
/// every option.
std::vector<Preset> phrase_rep_presets();

}  // namespace phraseq::phrase_rep

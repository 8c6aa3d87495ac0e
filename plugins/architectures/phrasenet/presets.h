#pragma once

#include <vector>

#include "core/plugin/registry.h"

namespace phraseq::phrasenet {

/// Both models of Tang et al. 2016, and smaller versions for two processor cores.
std::vector<Preset> phrasenet_presets();

}  // namespace phraseq::phrasenet

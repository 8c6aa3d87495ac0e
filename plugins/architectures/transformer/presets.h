#pragma once

#include <vector>

#include "core/plugin/registry.h"

namespace phraseq {

/// base, big, small, tiny and iwslt with fairseq's conventions, and the baselines of the papers
/// whose architectures phraseq rebuilds (architectures, sec. 1.1). Every preset sets every switch.
std::vector<Preset> transformer_presets();

}  // namespace phraseq

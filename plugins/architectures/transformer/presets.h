#pragma once

#include <vector>

#include "core/plugin/registry.h"

namespace phraseq::transformer {

/// base, big, small and tiny with fairseq's conventions and their own dropout, fairseq's
/// iwslt_de_en, and the baselines of the papers whose architectures phraseq rebuilds. Every preset
/// sets every switch; one that names a source has the source's values.
std::vector<Preset> transformer_presets();

}  // namespace phraseq::transformer

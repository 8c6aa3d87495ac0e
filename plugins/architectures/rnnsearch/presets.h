#pragma once

#include <vector>

#include "core/plugin/registry.h"

namespace phraseq {

/// Tang et al. 2016's baseline and its relatives.
std::vector<Preset> rnnsearch_presets();

}  // namespace phraseq

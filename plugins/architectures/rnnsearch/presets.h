#pragma once

#include <vector>

#include "core/plugin/registry.h"

namespace phraseq::rnnsearch {

/// The baseline of Tang et al. 2016 and related models.
std::vector<Preset> rnnsearch_presets();

}  // namespace phraseq::rnnsearch

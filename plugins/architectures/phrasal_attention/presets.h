#pragma once

#include <vector>

#include "core/plugin/registry.h"

namespace phraseq::phrasal {

/// The models of Nguyen & Joty 2018, tables 1 and 2, their baseline, and small ones. Every preset
/// sets every switch.
std::vector<Preset> phrasal_attention_presets();

}  // namespace phraseq::phrasal

#pragma once

#include <string>

#include "core/base/api.h"
#include "core/score/compare/comparison.h"

namespace phraseq::score {

/// The comparison as tables for a terminal.
PHRASEQ_API std::string comparison_text(const Comparison& comparison, int width, bool colors);

}  // namespace phraseq::score

#pragma once

#include <string>

#include "core/base/api.h"
#include "core/score/compare/comparison.h"

namespace phraseq::score {

/// The comparison as a self-contained HTML page.
PHRASEQ_API std::string comparison_html(const Comparison& comparison, int width);

}  // namespace phraseq::score

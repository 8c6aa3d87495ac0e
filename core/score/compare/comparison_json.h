#pragma once

#include <string>

#include "core/base/api.h"
#include "core/score/compare/comparison.h"

namespace phraseq::score {

/// The comparison as a JSON document (docs/formats/compare_json.md).
PHRASEQ_API std::string comparison_json(const Comparison& comparison);

}  // namespace phraseq::score

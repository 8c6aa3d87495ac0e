#pragma once

#include <vector>

#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// The agreement of batches, single sentences and steps, for sentences of up to 60 tokens.
std::vector<Check> long_sentence_checks(const Registry& registry, const Selection& selection);

}  // namespace phraseq::conformance

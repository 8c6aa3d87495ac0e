#pragma once

#include <vector>

#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// What a model may share: nothing with other models, with its options or between the passes of two
/// threads.
std::vector<Check> sharing_checks(const Registry& registry, const Selection& selection);

}  // namespace phraseq::conformance

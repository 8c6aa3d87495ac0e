#pragma once

#include <vector>

#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// Whether training reaches every parameter and nothing else.
std::vector<Check> parameter_checks(const Registry& registry, const Selection& selection);

}  // namespace phraseq::conformance

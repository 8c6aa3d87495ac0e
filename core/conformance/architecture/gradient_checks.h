#pragma once

#include <vector>

#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// What the gradients must satisfy.
std::vector<Check> gradient_checks(const Registry& registry, const Selection& selection);

}  // namespace phraseq::conformance

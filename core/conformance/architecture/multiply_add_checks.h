#pragma once

#include <vector>

#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// Whether `multiply_adds` contains every matrix that a pass multiplies.
std::vector<Check> multiply_add_checks(const Registry& registry, const Selection& selection);

}  // namespace phraseq::conformance

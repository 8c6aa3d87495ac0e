#pragma once

#include <vector>

#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// What a forward pass must satisfy: shapes, batches, padding, precision.
std::vector<Check> forward_checks(const Registry& registry, const Selection& selection);

}  // namespace phraseq::conformance

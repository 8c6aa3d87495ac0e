#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// The checks that every criterion must pass, on generated hidden rows and a generated output
/// matrix. For a criterion that needs extras of its own architecture, they are NotApplicable.
PHRASEQ_API std::vector<Check> criterion_suite(const Selection& selection);

}  // namespace phraseq::conformance

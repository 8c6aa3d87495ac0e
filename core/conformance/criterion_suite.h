#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// What every criterion has to stand, on made-up hidden rows and a made-up output matrix. One that
/// wants extras of its own architecture is NotApplicable.
PHRASEQ_API std::vector<Check> criterion_suite(const Selection& selection);

}  // namespace phraseq::conformance

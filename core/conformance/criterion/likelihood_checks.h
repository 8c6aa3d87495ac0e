#pragma once

#include <vector>

#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// Whether a criterion reports likelihoods in natural logarithms.
std::vector<Check> likelihood_checks(const Selection& selection);

}  // namespace phraseq::conformance

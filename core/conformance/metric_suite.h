#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// What every metric must satisfy, checked on seven sentences.
PHRASEQ_API std::vector<Check> metric_suite(const Selection& selection);

}  // namespace phraseq::conformance

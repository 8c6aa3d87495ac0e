#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// What every decoder has to stand, on a scripted session.
PHRASEQ_API std::vector<Check> decoder_suite(const Selection& selection);

}  // namespace phraseq::conformance

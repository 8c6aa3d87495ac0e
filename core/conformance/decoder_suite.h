#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// The checks that every decoder must pass, on a scripted session.
PHRASEQ_API std::vector<Check> decoder_suite(const Selection& selection);

}  // namespace phraseq::conformance

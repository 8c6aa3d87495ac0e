#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// The checks that every optimizer must pass, on 22 generated parameters.
PHRASEQ_API std::vector<Check> optimizer_suite(const Selection& selection);

/// The checks that every learning-rate schedule must pass.
PHRASEQ_API std::vector<Check> lr_scheduler_suite(const Selection& selection);

}  // namespace phraseq::conformance

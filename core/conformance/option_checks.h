#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// Of any component: every option, set to another legal value, comes back from a checkpoint's
/// record and from text; names are spelt as the command line expects them.
PHRASEQ_API std::vector<Check> option_checks(const Component& component);

}  // namespace phraseq::conformance

#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// The checks of any component's options: every option, set to a different valid value, can be
/// restored from a checkpoint's record and from text; names are spelled as the command line expects
/// them.
PHRASEQ_API std::vector<Check> option_checks(const Component& component);

}  // namespace phraseq::conformance

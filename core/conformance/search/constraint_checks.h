#pragma once

#include <vector>

#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// Whether a decoder with the options of every search (SearchOptions) obeys them. Each option is
/// set to a value that the decoder's translations without the option violate.
std::vector<Check> constraint_checks(const Selection& selection);

}  // namespace phraseq::conformance

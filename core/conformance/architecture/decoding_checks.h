#pragma once

#include <vector>

#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// What a decoding session must satisfy.
std::vector<Check> decoding_checks(const Registry& registry, const Selection& selection);

}  // namespace phraseq::conformance

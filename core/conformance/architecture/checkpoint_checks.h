#pragma once

#include <string>
#include <vector>

#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// What saving and loading must satisfy; files are written below `folder`.
std::vector<Check> checkpoint_checks(const Registry& registry,
                                     const Selection& selection,
                                     const std::string& folder);

}  // namespace phraseq::conformance

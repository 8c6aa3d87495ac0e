#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// What every architecture has to stand, on small models of `selection` (see small_selection). The
/// registry holds the toy task; files are written below `folder`. Both outlive the checks.
PHRASEQ_API std::vector<Check> architecture_suite(const Registry& registry,
                                                  const Selection& selection,
                                                  const std::string& folder);

}  // namespace phraseq::conformance

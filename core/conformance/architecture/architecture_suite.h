#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// The checks that every architecture must pass, on small models of `selection` (see
/// small_selection). The registry contains the toy task; files are written below `folder`. Both
/// must outlive the checks.
PHRASEQ_API std::vector<Check> architecture_suite(const Registry& registry,
                                                  const Selection& selection,
                                                  const std::string& folder);

}  // namespace phraseq::conformance

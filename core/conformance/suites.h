#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/conformance/fixtures/trial_data.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// The checks of a component with the selection's options, by its kind. The registry contains the
/// toy task and, for a task, what it selects. All arguments must outlive the checks.
PHRASEQ_API std::vector<Check> checks_of(const Registry& registry,
                                         const Selection& selection,
                                         const TrialData& data,
                                         const std::string& folder);

/// How one check went.
struct Verdict {
  enum class Kind { kHolds, kFails, kDoesNotApply };
  Kind kind = Kind::kHolds;
  Findings findings;  ///< or why it does not apply
};

/// Runs a check; what it throws becomes a finding.
PHRASEQ_API Verdict run(const Check& check);

}  // namespace phraseq::conformance

#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/conformance/fixtures/trial_data.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// The checks that every task must pass. The registry contains what the task itself selects: data
/// loaders and tokenizers. They are NotApplicable if the task cannot be made for the data: the
/// author then has to name its own data.
PHRASEQ_API std::vector<Check> task_suite(const Registry& registry,
                                          const Selection& selection,
                                          const TrialData& data);

}  // namespace phraseq::conformance

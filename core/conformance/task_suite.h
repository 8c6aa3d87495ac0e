#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/conformance/fixtures/trial_data.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// What every task has to stand. The registry holds what the task itself selects: data loaders and
/// tokenizers. A task that cannot be made over the data is NotApplicable: the author names data of
/// its own.
PHRASEQ_API std::vector<Check> task_suite(const Registry& registry,
                                          const Selection& selection,
                                          const TrialData& data);

}  // namespace phraseq::conformance

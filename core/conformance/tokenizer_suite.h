#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/conformance/fixtures/trial_data.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// What every tokenizer has to stand, on lines of several scripts. One that cannot be made without
/// a model is NotApplicable: the author names a model file.
PHRASEQ_API std::vector<Check> tokenizer_suite(const Selection& selection, const TrialData& data);

}  // namespace phraseq::conformance

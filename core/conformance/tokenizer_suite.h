#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/conformance/fixtures/trial_data.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// The checks that every tokenizer must pass, on lines of several scripts. They are NotApplicable
/// if the tokenizer needs a model: the author then has to name a model file.
PHRASEQ_API std::vector<Check> tokenizer_suite(const Selection& selection, const TrialData& data);

}  // namespace phraseq::conformance

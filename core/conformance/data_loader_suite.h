#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/conformance/fixtures/trial_data.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// The checks that every data loader must pass. They are NotApplicable if the loader does not find
/// the split: the author then has to name data in its own format. Words of a language without
/// `dict.LANG.txt` in the folder get ids by their bytes.
PHRASEQ_API std::vector<Check> data_loader_suite(const Selection& selection, const TrialData& data);

}  // namespace phraseq::conformance

#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/conformance/check.h"
#include "core/conformance/fixtures/trial_data.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// What every data loader has to stand. A loader that does not find the split is NotApplicable: the
/// author names data of its own format. Words of a language without `dict.LANG.txt` in the folder
/// get ids by their bytes.
PHRASEQ_API std::vector<Check> data_loader_suite(const Selection& selection, const TrialData& data);

}  // namespace phraseq::conformance

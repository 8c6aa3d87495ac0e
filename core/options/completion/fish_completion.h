#pragma once

#include <string>

#include "core/base/api.h"
#include "core/options/completion/completion_model.h"

namespace phraseq {

/// A script for share/fish/vendor_completions.d/phraseq.fish.
PHRASEQ_API std::string fish_completion(const CompletionModel& model);

}  // namespace phraseq

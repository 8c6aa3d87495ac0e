#pragma once

#include <string>

#include "core/base/api.h"
#include "core/options/completion/completion_model.h"

namespace phraseq {

/// A script for share/bash-completion/completions/phraseq. It requires bash 4, but not the package
/// bash-completion.
PHRASEQ_API std::string bash_completion(const CompletionModel& model);

}  // namespace phraseq

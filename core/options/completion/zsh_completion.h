#pragma once

#include <string>

#include "core/base/api.h"
#include "core/options/completion/completion_model.h"

namespace phraseq {

/// A script for share/zsh/site-functions/_phraseq.
PHRASEQ_API std::string zsh_completion(const CompletionModel& model);

}  // namespace phraseq

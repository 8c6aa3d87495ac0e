#pragma once

#include <span>
#include <string>

#include "core/base/api.h"

namespace phraseq {

/// The whole of `phraseq train`: loads plugins, describes and parses every option, puts the run together
/// from its components, trains. Returns the exit code: 0, or 128 + the signal that ended it.
PHRASEQ_API int train_run(std::span<const std::string> arguments);

}  // namespace phraseq

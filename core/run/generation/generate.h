#pragma once

#include "core/base/api.h"
#include "core/run/generation/generate_run.h"

namespace phraseq {

/// Translates everything and returns the exit code.
PHRASEQ_API int generate(GenerateRun& run);

}  // namespace phraseq

#pragma once

#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// For one of several processes that say the same: only errors are logged, each after `prefix`
/// ("rank 1: ").
PHRASEQ_API void log_only_errors(std::string_view prefix);

}  // namespace phraseq

#pragma once

#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// For a process whose messages would repeat those of another: logs errors only, each after
/// `prefix` ("rank 1: ").
PHRASEQ_API void log_only_errors(std::string_view prefix);

}  // namespace phraseq

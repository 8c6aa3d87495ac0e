#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Throws a UsageError that lists the settings of another toolkit's model, `path`, for which the
/// architecture `transformer` has no counterpart; returns if there are none.
PHRASEQ_API void refuse_unsupported(const std::vector<std::string>& settings,
                                    const std::string& path);

}  // namespace phraseq

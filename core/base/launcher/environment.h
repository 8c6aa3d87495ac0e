#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/base/api.h"

namespace phraseq {

/// Looks up an environment variable; returns nothing if it is unset or empty.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// The environment of this process.
PHRASEQ_API Environment process_environment();

}  // namespace phraseq

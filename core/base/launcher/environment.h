#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/base/api.h"

namespace phraseq {

/// Where variables of the environment are looked up: nothing for one that is not set or empty.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// The environment of this process.
PHRASEQ_API Environment process_environment();

}  // namespace phraseq

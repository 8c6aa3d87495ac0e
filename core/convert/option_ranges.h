#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"

namespace phraseq {

/// Throws FormatError if an option of an imported architecture has a value that the architecture
/// does not accept: the checkpoint could not be loaded. `path` is the file that the options are
/// from. More positions than an architecture can have are reduced to its maximum, unless they are
/// learned.
PHRASEQ_API void check_option_ranges(nlohmann::json& options, const std::string& path);

}  // namespace phraseq

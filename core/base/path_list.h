#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// The paths that an option names, separated by colons as in fairseq, including empty ones. If
/// `text` as a whole is an existing path, it is the only one, whatever its name contains.
PHRASEQ_API std::vector<std::string> listed_paths(const std::string& text);

}  // namespace phraseq

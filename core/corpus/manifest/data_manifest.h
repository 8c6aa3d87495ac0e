#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"

namespace phraseq {

/// The manifest of a data folder, every entry that this program reads checked for its type. Throws
/// FormatError with the place of the wrong entry, for a version that is not known, and for a folder
/// that preprocess did not finish.
PHRASEQ_API nlohmann::json read_data_manifest(const std::string& folder, const std::string& file);

}  // namespace phraseq

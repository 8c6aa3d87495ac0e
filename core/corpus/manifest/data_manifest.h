#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"

namespace phraseq {

inline constexpr const char* kDataManifest = "manifest.json";
inline constexpr int kDataManifestVersion = 1;

/// The manifest of a data folder, in which the type of every entry that this program reads has been
/// checked. Throws a FormatError with the place of a wrong entry, for an unknown version, and for a
/// folder that preprocess did not finish.
PHRASEQ_API nlohmann::json read_data_manifest(const std::string& folder, const std::string& file);

/// Puts a manifest into a folder that is being written: readers reject the folder until the final
/// manifest replaces this one.
PHRASEQ_API void mark_unfinished_folder(const std::string& folder);

/// The same for a `destination` that has files of an earlier run; call it before the files of the
/// new run are moved there.
PHRASEQ_API void mark_mixed_folder(const std::string& destination);

}  // namespace phraseq

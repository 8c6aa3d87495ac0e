#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// The entries of a folder in no particular order, without "." and "..". Throws IoError.
PHRASEQ_API std::vector<std::filesystem::directory_entry> entries_of(
    const std::filesystem::path& folder);

/// Those that could be read; `problem` says why these may not be all.
PHRASEQ_API std::vector<std::filesystem::directory_entry> entries_of(
    const std::filesystem::path& folder, std::error_code& problem);

}  // namespace phraseq

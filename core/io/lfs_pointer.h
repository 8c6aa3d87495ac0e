#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {

inline constexpr std::string_view kLfsMark = "version https://git-lfs.github.com/spec/";

/// Throws FormatError if a file begins like the small text that Git LFS puts in the place of a
/// large file until the file is downloaded.
inline void refuse_lfs_pointer(std::string_view start, const std::string& path) {
  if (start.starts_with(kLfsMark)) {
    throw FormatError(
        fmt::format("{}: the file is a pointer of Git LFS, not the file that it stands for", path),
        "Download the file itself: run git lfs pull in the repository.");
  }
}

}  // namespace phraseq

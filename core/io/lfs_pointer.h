#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {

inline constexpr std::string_view kLfsMark = "version https://git-lfs.github.com/spec/";

/// Throws FormatError if a file begins like a pointer: the small text file that Git LFS puts in the
/// place of a large file until the large file is downloaded.
inline void refuse_lfs_pointer(std::string_view start, const std::string& path) {
  if (start.starts_with(kLfsMark)) {
    throw FormatError(
        fmt::format("{}: Git LFS has not downloaded this file; it is only a pointer", path),
        "Run git lfs pull in the repository.");
  }
}

}  // namespace phraseq

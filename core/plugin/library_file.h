#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// The parts of a shared library that can be read without loading it.
struct LibraryFile {
  std::vector<std::string> exported;  ///< exported symbols
  std::vector<std::string> needed;    ///< file names of the libraries that it is linked with
};

/// Reads the dynamic symbol table of a 64-bit ELF library for this processor, checking every offset
/// against the file's size. For any other file, throws a PluginError that says what kind of file it
/// is.
///
/// Boost.DLL's `library_info` is not used: it reads the static symbol table, which `strip` removes
/// (a stripped plugin would have no manifest), and does not check its offsets.
PHRASEQ_API LibraryFile inspect_library(const std::string& path);

/// The text that follows the last "PHRASEQ-ABI-TEXT:" in the file, or an empty string.
PHRASEQ_API std::string abi_text_in(const std::string& path);

}  // namespace phraseq

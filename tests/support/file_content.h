#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace phraseq {

/// The bytes of a file, read without code of phraseq; empty if it cannot be opened.
inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace phraseq

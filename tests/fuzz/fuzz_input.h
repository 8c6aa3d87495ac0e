#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>

#include <sys/mman.h>

#include "core/base/error.h"

namespace phraseq::fuzz {

/// The bytes of an input as text.
inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A file in memory with a path, for parsers that open files themselves.
class FileInMemory {
 public:
  explicit FileInMemory(std::string_view content)
      : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)), path_("/proc/self/fd/") {
    if (descriptor_ < 0 ||
        write(descriptor_, content.data(), content.size()) != static_cast<ssize_t>(content.size()))
      throw std::runtime_error("cannot make a file in memory");
    path_ += std::to_string(descriptor_);
  }
  ~FileInMemory() { close(descriptor_); }
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;
  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

/// Runs a parser. An Error is how it rejects input; any other exception ends the process, as does
/// whatever the sanitizers find. Returns what LLVMFuzzerTestOneInput returns.
template <class Parse>
int check(const Parse& parse) {
  try {
    parse();
  } catch (const Error& rejected) {
    if (std::string_view(rejected.what()).size() > 4096)
      throw std::logic_error("a message repeats more of its input than a person reads");
  }
  return 0;
}

}  // namespace phraseq::fuzz

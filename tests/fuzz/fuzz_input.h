#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <sys/mman.h>

#include "core/base/error.h"
#include "tests/core/io/temporary_folder.h"

/// Begins the function that a file of tests/fuzz/targets defines: `data` are `size` bytes of input,
/// and the result is 0. The program fuzz runs one of these functions; the test test-fuzz runs all.
#define PHRASEQ_FUZZ_TARGET(name) extern "C" int fuzz_##name(const uint8_t* data, size_t size)

namespace phraseq::fuzz {

/// The bytes of an input as text.
inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Divides an input that contains several files, separated by "||||", into `count` parts; the last
/// part is the rest of the input.
template <size_t count>
std::array<std::string_view, count> parts_of(std::string_view text) {
  constexpr std::string_view kSeparator = "||||";
  std::array<std::string_view, count> parts;
  for (std::string_view& part : parts) {
    const size_t end = &part == &parts.back() ? text.size() : text.find(kSeparator);
    part = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), part.size() + kSeparator.size()));
  }
  return parts;
}

/// The arguments of a command line, one per line. None may name a configuration file, which could
/// be a file of this machine.
inline std::vector<std::string> arguments_of(std::string_view text) {
  std::vector<std::string> arguments;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line(text.substr(at, end - at));
    line.resize(std::min(line.size(), line.find('\0')));
    if (!line.starts_with("--conf"))
      arguments.push_back(std::move(line));
    at = end + 1;
  }
  return arguments;
}

/// One folder for all inputs of the process.
inline const std::string& folder() {
  static const TemporaryFolder made;
  return made.path();
}

/// Writes a file of that name in `folder()` and returns its path. The file is always a new one,
/// because ext4 writes a truncated file to the disk when it is closed.
inline std::string write_in_folder(const std::string& name, std::string_view content) {
  std::string path = folder() + "/" + name;
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << content;
  return path;
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

/// Runs a parser. It rejects input with an Error; any other exception ends the process, like
/// anything that the sanitizers find. Returns the result of a target.
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

#include "core/checkpoint/checkpoint_pointer.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/io/atomic_file.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxPointerBytes = 512;
constexpr size_t kFingerprintDigits = 8;

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.find_first_of(std::string_view("/\n\0", 3)) == name.npos;
}

bool is_fingerprint(std::string_view text) {
  return text.size() == kFingerprintDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Parses the text of a pointer file; null if it is not one.
std::optional<CheckpointPointer> parse_pointer(const std::string& text) {
  if (!text.ends_with('\n'))
    return std::nullopt;
  const size_t space = text.rfind(' ');
  if (space == std::string::npos)
    return std::nullopt;
  CheckpointPointer pointer{text.substr(0, space), text.substr(space + 1, text.size() - space - 2)};
  if (!is_plain_name(pointer.name) || !is_fingerprint(pointer.fingerprint))
    return std::nullopt;
  return pointer;
}

/// Removes a symbolic link, which somebody may have put in the place of a pointer: writing through
/// it would replace the checkpoint that it leads to.
void remove_link(const std::string& path) {
  std::error_code problem;
  if (fs::is_symlink(path, problem) && !fs::remove(path, problem) && problem)
    throw IoError(path, "replace the symbolic link", problem.value());
}

}  // namespace

std::optional<CheckpointPointer> read_pointer(const std::string& path) {
  std::error_code problem;  // a loop of links, for example
  if (!fs::exists(path, problem) && !problem)
    return std::nullopt;
  const MappedFile file(path);
  const auto bytes = file.bytes().first(std::min(file.bytes().size(), kMaxPointerBytes));
  auto pointer = parse_pointer({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (pointer && file.bytes().size() == bytes.size())
    return pointer;
  throw FormatError(
      fmt::format("{}: not a checkpoint pointer; expected one line 'NAME CHECKSUM'", path));
}

void write_pointer(const std::string& path, const CheckpointPointer& pointer) {
  remove_link(path);
  write_file(path, fmt::format("{} {}\n", pointer.name, pointer.fingerprint));
}

std::string checked_target(const std::string& path,
                           const CheckpointPointer& pointer,
                           bool verify_tensors) {
  const std::string target = (fs::path(path).parent_path() / pointer.name).string();
  const auto file = CheckpointFile::open(target, verify_tensors);
  if (file.fingerprint() != pointer.fingerprint) {
    throw FormatError(
        fmt::format("{}: points to the checkpoint {} in {}, but that file contains {}",
                    path,
                    pointer.fingerprint,
                    target,
                    file.is_foreign() ? "a plain safetensors file" : file.fingerprint()),
        "The file was replaced after the pointer was written; give its own name to use it.");
  }
  return target;
}

}  // namespace phraseq

#include "core/base/error.h"

#include <cstring>

#include <fmt/format.h>

namespace phraseq {
namespace {

std::string join_message(std::string_view message, std::string_view hint) {
  return hint.empty() ? std::string(message) : fmt::format("{}\n  {}", message, hint);
}

/// Without NUL bytes, at which what() would end: they appear as the escape \x00.
std::string readable(std::string_view message) {
  std::string text;
  for (const char byte : message) text += byte == '\0' ? "\\x00" : std::string(1, byte);
  return text;
}

std::string io_message(std::string_view path, std::string_view step, int error_number) {
  if (error_number == 0)
    return fmt::format("{}: cannot {}", path, step);
  return fmt::format("{}: cannot {}: {}", path, step, std::strerror(error_number));
}

}  // namespace

Error::Error(ExitCode exit_code, std::string_view message, std::string_view hint)
    : std::runtime_error(readable(join_message(message, hint))),
      exit_code_(exit_code),
      message_(readable(message)),
      hint_(readable(hint)) {}

std::string to_string(const TextPlace& place) {
  if (place.line == 0)
    return place.file;
  if (place.column == 0)
    return fmt::format("{}:{}", place.file, place.line);
  return fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

DataError::DataError(const TextPlace& place, std::string_view message, std::string_view hint)
    : Error(kExitData, fmt::format("{}: {}", to_string(place), message), hint) {}

IoError::IoError(std::string_view path,
                 std::string_view step,
                 int error_number,
                 std::string_view hint)
    : Error(kExitIo, io_message(path, step, error_number), hint) {}

}  // namespace phraseq

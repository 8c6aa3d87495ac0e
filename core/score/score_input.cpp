#include "core/score/score_input.h"

#include <array>
#include <cerrno>
#include <memory>
#include <string_view>
#include <unistd.h>
#include <zlib.h>

#include <fmt/format.h>
#include <unicode/utf8.h>

#include "core/base/error.h"
#include "core/score/unicode_text.h"

namespace phraseq::score {
namespace {

struct CloseGzip {
  void operator()(gzFile file) const { gzclose(file); }
};
using GzipFile = std::unique_ptr<gzFile_s, CloseGzip>;

GzipFile open(const std::string& path) {
  const bool standard_input = path == "-";
  GzipFile file(standard_input ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(path.c_str(), "rb"));
  if (!file)
    throw IoError(path, "open", errno);
  gzbuffer(file.get(), 1 << 17);
  return file;
}

/// The whole text, decompressed when it is gzipped.
std::string read_all(const std::string& path) {
  const auto file = open(path);
  std::string text;
  std::array<char, 1 << 16> buffer{};
  int count = 0;
  while ((count = gzread(file.get(), buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<size_t>(count));
  }
  int code = Z_OK;
  const char* reason = gzerror(file.get(), &code);
  if (code == Z_ERRNO)
    throw IoError(path, "read", errno);
  if (code != Z_OK && code != Z_STREAM_END)
    throw IoError(path, "read", 0, reason);
  return text;
}

/// Where the first invalid sequence begins, or npos.
size_t find_invalid(std::string_view line) {
  const auto size = static_cast<int64_t>(line.size());
  for (int64_t at = 0; at < size;) {
    const int64_t begin = at;
    UChar32 character = 0;
    U8_NEXT(line.data(), at, size, character);
    if (character < 0)
      return static_cast<size_t>(begin);
  }
  return std::string_view::npos;
}

void check_line(std::string_view line, const std::string& path, size_t number) {
  const size_t at = find_invalid(line);
  if (at == std::string_view::npos)
    return;
  throw DataError(
      {path, static_cast<int64_t>(number), static_cast<int64_t>(at) + 1},
      fmt::format("invalid UTF-8 (byte 0x{:02X})", static_cast<unsigned char>(line[at])),
      "nothing was scored; convert the file to UTF-8, for example with iconv");
}

}  // namespace

std::vector<std::string> read_score_lines(const std::string& path) {
  const std::string text = read_all(path);
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos)
      end = text.size();
    const std::string_view line(text.data() + begin, end - begin);
    check_line(line, path, lines.size() + 1);
    lines.emplace_back(strip_right(line));
    begin = end + 1;
  }
  return lines;
}

}  // namespace phraseq::score

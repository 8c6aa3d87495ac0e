#include "core/io/line_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/memory/available_memory.h"
#include "core/io/compressed/gzip_input.h"
#include "core/io/failpoint.h"
#include "core/io/utf8.h"

namespace phraseq {
namespace {

constexpr unsigned kReadBufferBytes = 1 << 18;
constexpr int64_t kMaxSkippedBytes = int64_t{1} << 30;  // of one line
constexpr const char* kBadLineHint =
    "Repair the line; if the whole text has another encoding, convert it with iconv. preprocess, "
    "generate and interactive can also skip or replace such lines: see their --on-bad-line.";

/// What a text that begins with these bytes looks like, and what to do with it.
const char* hint_for_start(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\xFF\xFE\0\0"sv) || bytes.starts_with("\0\0\xFE\xFF"sv))
    return "This looks like UTF-32: convert it with iconv -f UTF-32 -t UTF-8.";
  if (bytes.starts_with("\xFF\xFE"sv) || bytes.starts_with("\xFE\xFF"sv))
    return "This looks like UTF-16: convert it with iconv -f UTF-16 -t UTF-8.";
  if (bytes.starts_with("\x1F\x8B"sv))
    return "This looks like gzip data, which are decompressed only if they come from a file: name "
           "the file, or decompress it with zcat.";
  return kBadLineHint;
}

}  // namespace

struct LineReader::State {
  std::string path;
  LineReaderOptions options;
  std::optional<GzipInput> file;  // none: standard input
  std::string block = std::string(kReadBufferBytes, '\0');
  size_t block_begin = 0;
  size_t block_end = 0;
  bool at_end = false;  // a terminal would continue after its end
  int64_t line_number = 0;
  int64_t removed_bytes = 0;  // the byte-order mark, for the column of an error in line 1
  int64_t bad_lines = 0;
  bool bad = false;
  std::string_view defect;

  bool fill();
  size_t read_file();
  size_t read_standard_input();
  bool read_raw(std::string& line);
  void check(std::string& line);
  void remove_mark(std::string& line);
  void reject_too_long();
  void check_skipped(int64_t bytes) const;
  [[noreturn]] void reject(std::string_view line, const TextFault& fault) const;
};

/// Reads the next block; false at the end of the file.
bool LineReader::State::fill() {
  if (at_end)
    return false;
  block_begin = 0;
  block_end = file ? read_file() : read_standard_input();
  at_end = block_end == 0;
  return !at_end;
}

/// Does not go through zlib, which waits for a full block: somebody may be typing.
size_t LineReader::State::read_standard_input() {
  ssize_t got = 0;
  do {
    got = ::read(STDIN_FILENO, block.data(), block.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0)
    throw IoError(path, "read", errno);
  return static_cast<size_t>(got);
}

size_t LineReader::State::read_file() {
  if (const int pretended = failpoint("line_reader.read"))
    throw IoError(path, "read", pretended);
  return file->read(block.data(), block.size());
}

/// Gathers the bytes up to the next '\n'; false when there are none.
bool LineReader::State::read_raw(std::string& line) {
  line.clear();
  bool too_long = false;
  bool any = false;
  int64_t bytes = 0;
  while (block_begin < block_end || fill()) {
    any = true;
    const char* begin = block.data() + block_begin;
    const size_t available = block_end - block_begin;
    const auto* end = static_cast<const char*>(std::memchr(begin, '\n', available));
    const size_t length = end != nullptr ? static_cast<size_t>(end - begin) : available;
    block_begin += length + (end != nullptr ? 1 : 0);
    bytes += static_cast<int64_t>(length);
    if (bytes > options.max_line_bytes && !too_long) {
      too_long = true;
      line.clear();
      reject_too_long();
    }
    check_skipped(bytes);
    if (!too_long)
      line.append(begin, length);
    if (end != nullptr)
      break;
  }
  return any;
}

void LineReader::State::reject_too_long() {
  if (options.on_bad_line != OnBadLine::kSkip) {
    throw DataError({path, line_number + 1},
                    fmt::format("the line is longer than {} bytes", options.max_line_bytes),
                    "Does the file separate lines with '\\n'? phraseq preprocess can leave out "
                    "such lines (--on-bad-line skip) or read them (--max-line-bytes).");
  }
  bad = true;
  defect = "line too long";
}

/// A line without an end, such as that of /dev/zero, cannot be skipped.
void LineReader::State::check_skipped(int64_t bytes) const {
  if (bytes <= std::max(kMaxSkippedBytes, options.max_line_bytes))
    return;
  throw DataError(
      {path, line_number + 1},
      fmt::format("the line is longer than {} MiB, too long to be skipped", bytes >> 20),
      "Does the file separate lines with '\\n'?");
}

void LineReader::State::remove_mark(std::string& line) {
  removed_bytes = 0;
  if (line_number != 1 || !line.starts_with(kByteOrderMark))
    return;
  line.erase(0, kByteOrderMark.size());
  removed_bytes = static_cast<int64_t>(kByteOrderMark.size());
  log_info(fmt::format("{}: removed the byte-order mark at the start", path));
}

void LineReader::State::reject(std::string_view line, const TextFault& fault) const {
  const TextPlace place{path, line_number, static_cast<int64_t>(fault.offset) + removed_bytes + 1};
  throw DataError(
      place, fault_text(line, fault), line_number == 1 ? hint_for_start(line) : kBadLineHint);
}

void LineReader::State::check(std::string& line) {
  if (const auto fault = find_text_fault(line, ControlBytes::kReject)) {
    if (options.on_bad_line == OnBadLine::kError)
      reject(line, *fault);
    bad = options.on_bad_line == OnBadLine::kSkip;
    defect = to_string(fault->defect);
    line = bad ? std::string() : repair_text(line, ControlBytes::kReject);
  }
}

LineReader::LineReader(std::string path, LineReaderOptions options) : state_(new State) {
  const bool is_file = path != "-";
  if (is_file)
    state_->file.emplace(path);
  state_->path = is_file ? std::move(path) : "standard input";
  state_->options = options;
}

LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;

bool LineReader::next(std::string& line) {
  state_->bad = false;
  state_->defect = {};
  if (!state_->read_raw(line))
    return false;
  ++state_->line_number;
  if (line.ends_with('\r'))
    line.pop_back();
  state_->remove_mark(line);
  state_->check(line);
  if (!state_->defect.empty())
    ++state_->bad_lines;
  return true;
}

int64_t LineReader::line_number() const { return state_->line_number; }
bool LineReader::bad() const { return state_->bad; }
std::string_view LineReader::defect() const { return state_->defect; }
int64_t LineReader::bad_lines() const { return state_->bad_lines; }
const std::string& LineReader::path() const { return state_->path; }

std::vector<std::string> read_lines(const std::string& path, LineReaderOptions options) {
  constexpr size_t kLineBytes = sizeof(std::string);  // at least
  LineReader reader(path, options);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    if (lines.size() == lines.capacity())
      require_room(reader.path(), lines.size() * kLineBytes, 2 * lines.capacity() * kLineBytes);
    lines.push_back(line);
  }
  return lines;
}

[[noreturn]] void reject_lengths(const LineReader& longer,
                                 const LineReader& shorter,
                                 const std::string& hint) {
  throw DataError({longer.path(), longer.line_number()},
                  fmt::format("{} ends before this line", shorter.path()),
                  hint);
}

}  // namespace phraseq

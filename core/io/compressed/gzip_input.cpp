#include "core/io/compressed/gzip_input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <zlib.h>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

constexpr size_t kBlockBytes = 1 << 18;
constexpr std::string_view kMagic = "\x1F\x8B";

Descriptor open_file(const std::string& path) {
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor.is_open())
    throw IoError(path, "open", errno);
  return descriptor;
}

}  // namespace

struct GzipInput::State {
  State(Descriptor file, std::string name) : descriptor(std::move(file)), path(std::move(name)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (is_gzip)
      inflateEnd(&stream);
  }

  std::string_view rest() const { return std::string_view(block).substr(begin, end - begin); }
  bool fill();
  bool look_ahead();
  void start();
  bool next_member();
  size_t copy(char* to, size_t size);
  size_t inflate_some(char* to, size_t size);
  [[noreturn]] void damaged(std::string_view reason) const;

  Descriptor descriptor;
  std::string path;
  std::string block = std::string(kBlockBytes, '\0');
  size_t begin = 0, end = 0;  // of what is not used yet
  bool at_end = false;        // of the file
  bool is_started = false;
  bool is_gzip = false;
  bool in_member = false;
  z_stream stream = {};
};

/// Appends to the rest of the block; false at the end of the file.
bool GzipInput::State::fill() {
  if (at_end)
    return false;
  std::memmove(block.data(), block.data() + begin, end - begin);
  end -= std::exchange(begin, 0);
  ssize_t got = 0;
  do {
    got = ::read(descriptor.get(), block.data() + end, block.size() - end);
  } while (got < 0 && errno == EINTR);
  if (got < 0)
    throw IoError(path, "read", errno);
  at_end = got == 0;
  end += static_cast<size_t>(got);
  return !at_end;
}

/// Makes the rest long enough to recognize a member; false if the file ends before.
bool GzipInput::State::look_ahead() {
  while (rest().size() < kMagic.size()) {
    if (!fill())
      return false;
  }
  return true;
}

void GzipInput::State::start() {
  constexpr int kGzipOnly = 16;
  is_started = true;
  if (!look_ahead() || !rest().starts_with(kMagic))
    return;
  if (inflateInit2(&stream, MAX_WBITS + kGzipOnly) != Z_OK)
    throw std::bad_alloc();
  is_gzip = in_member = true;
}

/// Moves to the next member; false at the end of the file. gzip ignores zeros between members,
/// which fill the blocks of a tape.
bool GzipInput::State::next_member() {
  look_ahead();
  if (rest().starts_with(kMagic)) {
    inflateReset(&stream);
    return in_member = true;
  }
  do {
    if (rest().find_first_not_of('\0') != std::string_view::npos)
      damaged("what follows the compressed data is not gzip");
    begin = end;
  } while (fill());
  return false;
}

size_t GzipInput::State::copy(char* to, size_t size) {
  if (begin == end)
    fill();
  const size_t count = std::min(size, end - begin);
  std::memcpy(to, block.data() + begin, count);
  begin += count;
  return count;
}

/// One step, which may produce no bytes.
size_t GzipInput::State::inflate_some(char* to, size_t size) {
  if (begin == end && !fill())
    damaged("unexpected end of file");
  stream.next_in = reinterpret_cast<Bytef*>(block.data() + begin);
  stream.avail_in = static_cast<uInt>(end - begin);
  stream.next_out = reinterpret_cast<Bytef*>(to);
  stream.avail_out = static_cast<uInt>(size);
  const int status = inflate(&stream, Z_NO_FLUSH);
  begin = end - stream.avail_in;
  if (status == Z_MEM_ERROR)
    throw std::bad_alloc();
  if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
    damaged(stream.msg == nullptr ? "unknown format" : stream.msg);
  in_member = status != Z_STREAM_END;
  return size - stream.avail_out;
}

void GzipInput::State::damaged(std::string_view reason) const {
  throw FormatError(fmt::format("{}: damaged gzip data: {}", path, reason),
                    "Download or compress the file again; gzip -t checks it.");
}

GzipInput::GzipInput(const std::string& path) : GzipInput(open_file(path), path) {}

GzipInput::GzipInput(Descriptor descriptor, std::string path)
    : state_(std::make_unique<State>(std::move(descriptor), std::move(path))) {}

GzipInput::~GzipInput() = default;
GzipInput::GzipInput(GzipInput&&) noexcept = default;

size_t GzipInput::read(char* to, size_t size) {
  State& state = *state_;
  if (!state.is_started)
    state.start();
  if (!state.is_gzip)
    return state.copy(to, size);
  size_t got = 0;
  while (got == 0 && (state.in_member || state.next_member())) got = state.inflate_some(to, size);
  return got;
}

}  // namespace phraseq

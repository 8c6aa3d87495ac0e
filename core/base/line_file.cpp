#include "core/base/line_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

#include "core/base/error.h"
#include "core/base/posix/write_all.h"

namespace phraseq {
namespace {

constexpr size_t kMaxWaitingBytes = 1 << 20;

/// The size of a file; -1 for what has none (a pipe, a device).
off_t size_of(int descriptor) {
  struct stat status = {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : -1;
}

/// The size of the complete lines of a file.
off_t size_of_whole_lines(int descriptor, off_t size) {
  std::array<char, 4096> block{};
  while (size > 0) {
    const auto wanted = std::min<off_t>(size, static_cast<off_t>(block.size()));
    const ssize_t got =
        ::pread(descriptor, block.data(), static_cast<size_t>(wanted), size - wanted);
    if (got != wanted)
      return size;
    const size_t end = std::string_view(block.data(), static_cast<size_t>(got)).rfind('\n');
    if (end != std::string_view::npos)
      return size - wanted + static_cast<off_t>(end) + 1;
    size -= wanted;
  }
  return 0;
}

}  // namespace

LineFile::LineFile(std::string path, TornLine torn)
    : path_(std::move(path)), is_new_(::access(path_.c_str(), F_OK) != 0) {
  constexpr int kAppend = O_APPEND | O_CREAT | O_CLOEXEC;
  descriptor_ = ::open(path_.c_str(), O_RDWR | kAppend, 0666);
  if (descriptor_ < 0)  // a pipe, or a file that may only be written
    descriptor_ = ::open(path_.c_str(), O_WRONLY | kAppend, 0666);
  if (descriptor_ < 0)
    throw IoError(path_, "open for appending", errno);
  repair(torn);
}

LineFile::~LineFile() {
  write_waiting();
  if (is_new_ && size_of(descriptor_) == 0)
    ::unlink(path_.c_str());
  ::close(descriptor_);
}

void LineFile::repair(TornLine torn) {
  const off_t size = size_of(descriptor_);
  if (size <= 0)
    return;
  const off_t whole = size_of_whole_lines(descriptor_, size);
  if (whole == size)
    return;
  if (torn == TornLine::kEnd || ::ftruncate(descriptor_, whole) != 0)
    append("\n");
}

int LineFile::append(std::string_view line) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    waiting_ += line;
    const int problem = write_waiting();
    while (waiting_.size() > kMaxWaitingBytes) waiting_.erase(0, waiting_.find('\n') + 1);
    return std::exchange(failing_, problem != 0) ? 0 : problem;
  } catch (const std::exception&) {  // no memory for a line of a log
    return ENOMEM;
  }
}

/// Writes all waiting lines or none: what a full disk accepted of them is cut off again.
int LineFile::write_waiting() noexcept {
  const off_t before = size_of(descriptor_);
  const WrittenBytes written = write_all(descriptor_, waiting_);
  const bool undone = written.problem != 0 && before >= 0 && ::ftruncate(descriptor_, before) == 0;
  waiting_.erase(0, undone ? 0 : written.count);
  return written.problem;
}

}  // namespace phraseq

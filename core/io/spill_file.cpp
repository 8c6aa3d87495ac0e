#include "core/io/spill_file.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/posix/write_all.h"
#include "core/io/failpoint.h"
#include "core/io/temporary_name.h"

namespace phraseq {
namespace {

constexpr size_t kSpillBufferBytes = 1 << 18;

/// Opens a file without a name or, if the file system does not support this, one whose name is
/// removed at once.
int open_nameless(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
    return descriptor;
  std::string name = folder + "/.phraseq-spill-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0)
    ::unlink(name.c_str());
  return named;
}

}  // namespace

SpillFile::SpillFile(std::string path)
    : path_(std::move(path)), descriptor_(open_nameless(folder_of(path_))) {
  if (!descriptor_.is_open())
    fail("create a temporary file for");
}

void SpillFile::write(std::span<const std::byte> bytes) {
  buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (buffer_.size() >= kSpillBufferBytes)
    flush();
}

void SpillFile::flush() {
  if (!buffer_.empty() && (errno = failpoint("spill_file.write")) != 0)
    fail("write a temporary file for");
  errno = write_all(descriptor_.get(), buffer_).problem;
  if (errno != 0)
    fail("write a temporary file for");
  buffer_.clear();
}

void SpillFile::rewind() {
  flush();
  if (::lseek(descriptor_.get(), 0, SEEK_SET) != 0)
    fail("read a temporary file for");
}

size_t SpillFile::read(std::span<std::byte> bytes) {
  size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t more = ::read(descriptor_.get(), bytes.data() + got, bytes.size() - got);
    if (more < 0 && errno == EINTR)
      continue;
    if (more < 0)
      fail("read a temporary file for");
    if (more == 0)
      break;
    got += static_cast<size_t>(more);
  }
  return got;
}

void SpillFile::fail(const char* step) const { throw IoError(path_, step, errno); }

}  // namespace phraseq

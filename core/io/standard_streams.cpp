#include "core/io/standard_streams.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include <sys/stat.h>

namespace phraseq {
namespace {

void open_if_closed(int stream) {
  constexpr std::array<int, 3> kModes = {O_WRONLY, O_RDONLY, O_RDWR};
  if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF)
    return;
  // Without /dev: reading and writing a folder fail, too.
  if (::open("/dev/null", kModes[static_cast<size_t>(stream)]) < 0)
    ::open("/", O_RDONLY | O_DIRECTORY);
}

/// Reading and writing a regular file waits in any case.
bool may_not_wait(int stream, int flags) {
  struct stat status {};
  return flags != -1 && (flags & O_NONBLOCK) != 0 && ::fstat(stream, &status) == 0 &&
         !S_ISREG(status.st_mode);
}

/// A stream that is opened again has its own flags; a socket cannot be opened again.
void make_wait(int stream) {
  const int flags = ::fcntl(stream, F_GETFL);
  if (!may_not_wait(stream, flags))
    return;
  const std::string path = "/proc/self/fd/" + std::to_string(stream);
  const int mode = flags & (O_ACCMODE | O_APPEND);
  const int again = ::open(path.c_str(), mode | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  ::fcntl(again >= 0 ? again : stream, F_SETFL, flags & ~O_NONBLOCK);
  if (again < 0)
    return;
  ::dup2(again, stream);
  ::close(again);
}

}  // namespace

void prepare_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    open_if_closed(stream);
    make_wait(stream);
  }
}

void write_to_standard_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace phraseq

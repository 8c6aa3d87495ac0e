#pragma once

#include <cerrno>
#include <cstddef>
#include <string_view>
#include <unistd.h>

namespace phraseq {

/// What `write_all` has written; `problem` is an errno, or 0 if that is everything.
struct WrittenBytes {
  size_t count = 0;
  int problem = 0;
};

/// Writes all bytes to an open file, and again if a signal interrupts it.
inline WrittenBytes write_all(int descriptor, std::string_view bytes) noexcept {
  WrittenBytes written;
  while (written.count < bytes.size()) {
    const ssize_t more =
        ::write(descriptor, bytes.data() + written.count, bytes.size() - written.count);
    if (more > 0)
      written.count += static_cast<size_t>(more);
    else if (more == 0 || errno != EINTR)
      return {written.count, more == 0 ? EIO : errno};
  }
  return written;
}

}  // namespace phraseq

#pragma once

#include <cerrno>
#include <string>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/io/descriptor.h"

namespace phraseq {

/// A file in memory that takes what a program prints: unlike a pipe it is never full.
class MemoryFile {
 public:
  /// `program` is the one that prints; an IoError names it.
  explicit MemoryFile(const std::string& program)
      : descriptor_(::memfd_create("output", MFD_CLOEXEC)) {
    if (!descriptor_.is_open())
      throw IoError(program, "create a memory file for the output of", errno);
  }

  int descriptor() const { return descriptor_.get(); }

  std::string content() const {
    struct stat status {};
    ::fstat(descriptor(), &status);
    std::string text(static_cast<size_t>(status.st_size), '\0');
    size_t done = 0;
    while (done < text.size()) {
      const ssize_t got =
          ::pread(descriptor(), text.data() + done, text.size() - done, static_cast<off_t>(done));
      if (got <= 0)
        break;
      done += static_cast<size_t>(got);
    }
    text.resize(done);
    return text;
  }

 private:
  Descriptor descriptor_;
};

}  // namespace phraseq

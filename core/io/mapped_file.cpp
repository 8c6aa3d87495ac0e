#include "core/io/mapped_file.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <sys/mman.h>
#include <sys/stat.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

/// Closes a descriptor at the end of a scope.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
};

}  // namespace

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {
  const Descriptor file{::open(path_.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0)
    throw IoError(path_, "open", errno);
  struct stat status {};
  if (::fstat(file.number, &status) != 0)
    throw IoError(path_, "read the size of", errno);
  if (S_ISDIR(status.st_mode))
    throw IoError(path_, "read", EISDIR);
  size_ = static_cast<size_t>(status.st_size);
  if (size_ == 0)
    return;  // nothing to map
  void* memory = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.number, 0);
  if (memory == MAP_FAILED)
    throw IoError(path_, "map", errno);
  data_ = static_cast<const std::byte*>(memory);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr)
    ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

std::string read_file(const std::string& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0)
    throw IoError(path, "open", errno);
  std::string content;
  char piece[1 << 16];
  while (true) {
    const ssize_t got = ::read(file.number, piece, sizeof piece);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      throw IoError(path, "read", errno);
    if (got == 0)
      return content;
    content.append(piece, static_cast<size_t>(got));
  }
}

}  // namespace phraseq

#include "core/io/mapping/mapped_file.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/base/memory/available_memory.h"
#include "core/io/crc32c.h"
#include "core/io/descriptor.h"
#include "core/io/lfs_pointer.h"
#include "core/io/mapping/lost_mappings.h"

namespace phraseq {
namespace {

/// The status of an open file. Throws IoError unless it is a regular file.
struct stat regular_status(const Descriptor& file, const std::string& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    throw IoError(path, "read the size of", errno);
  if (S_ISDIR(status.st_mode))
    throw IoError(path, "read", EISDIR);
  if (!S_ISREG(status.st_mode)) {
    throw IoError(
        path,
        "read: not a regular file",
        0,
        "Its parts are read in any order, which a pipe or device does not allow: write it "
        "to a file first.");
  }
  return status;
}

/// As many of the file's first bytes as the mark of a pointer has.
std::string start_of(const Descriptor& file) {
  std::string start(kLfsMark.size(), '\0');
  const ssize_t count = ::pread(file.get(), start.data(), start.size(), 0);
  start.resize(count > 0 ? static_cast<size_t>(count) : 0);
  return start;
}

}  // namespace

MappedFile::MappedFile(std::string path) : MappedFile(std::move(path), MappedUse::kReading) {}

MappedFile::MappedFile(std::string path, MappedUse use) : path_(std::move(path)) {
  // Otherwise, opening a pipe without a writer would wait forever.
  const Descriptor file{::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file.is_open())
    throw IoError(path_, "open", errno);
  const struct stat status = regular_status(file, path_);
  refuse_lfs_pointer(start_of(file), path_);
  version_ = version_of(status);
  size_ = static_cast<size_t>(status.st_size);
  if (size_ == 0)
    return;  // nothing to map
  const bool changing = use == MappedUse::kChanging;
  void* memory = ::mmap(nullptr,
                        size_,
                        changing ? PROT_READ | PROT_WRITE : PROT_READ,
                        changing ? MAP_PRIVATE | MAP_NORESERVE : MAP_SHARED,
                        file.get(),
                        0);
  if (memory == MAP_FAILED)
    throw IoError(path_, "map", errno);
  data_ = static_cast<const std::byte*>(memory);
  remember_mapping(data_, size_, path_);
}

MappedFile::~MappedFile() {
  if (data_ == nullptr)
    return;
  forget_mapping(data_);
  ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      version_(other.version_),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

uint32_t MappedFile::crc32c() const {
  constexpr size_t kWindow = 1 << 20;
  uint32_t sum = 0;
  for (size_t begin = 0; begin < size_; begin += kWindow) {
    sum = phraseq::crc32c(bytes().subspan(begin, std::min(kWindow, size_ - begin)), sum);
    release();
  }
  return sum;
}

bool MappedFile::is_rewritten() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0)
    return false;
  const Version now = version_of(status);
  return now.device == version_.device && now.inode == version_.inode && now != version_;
}

MappedFile::Version MappedFile::version_of(const struct stat& status) {
  return {static_cast<uint64_t>(status.st_dev),
          static_cast<uint64_t>(status.st_ino),
          static_cast<int64_t>(status.st_size),
          static_cast<int64_t>(status.st_mtim.tv_sec),
          static_cast<int64_t>(status.st_mtim.tv_nsec)};
}

void MappedFile::release() const {
  if (data_ != nullptr)  // after a failure, the memory is merely kept: nothing to report
    ::madvise(const_cast<std::byte*>(data_), size_, MADV_DONTNEED);
}

namespace {

/// Calls `use` with the content of a file, piece by piece.
template <class Use>
void read_pieces(const std::string& path, size_t size, const Use& use) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file.is_open())
    throw IoError(path, "open", errno);
  std::vector<std::byte> piece(size);
  while (true) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      throw IoError(path, "read", errno);
    if (got == 0)
      return;
    use(std::span<const std::byte>(piece.data(), static_cast<size_t>(got)));
  }
}

}  // namespace

std::string read_file(const std::string& path) {
  std::string content;
  read_pieces(path, 1 << 16, [&](std::span<const std::byte> piece) {
    if (content.size() + piece.size() > content.capacity())
      require_room(path, content.size(), 2 * content.capacity());
    content.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  refuse_lfs_pointer(content, path);
  return content;
}

uint32_t file_crc32c(const std::string& path) {
  uint32_t sum = 0;
  read_pieces(path, 1 << 20, [&](std::span<const std::byte> piece) { sum = crc32c(piece, sum); });
  return sum;
}

}  // namespace phraseq

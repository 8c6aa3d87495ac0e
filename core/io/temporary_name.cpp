#include "core/io/temporary_name.h"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <fcntl.h>
#include <random>
#include <signal.h>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/file.h>

#include "core/base/posix/host_name.h"
#include "core/base/text_fields.h"
#include "core/io/crc32c.h"
#include "core/io/failpoint.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".tmp.";
constexpr int kHostDigits = 4, kRandomDigits = 8;
constexpr size_t kLongestBase = 200;  // bytes; names have up to 255
constexpr int kMaxLinks = 40;         // as in Linux

/// Tells this machine from others that write to the same folder.
std::string host_digits() {
  const std::string host = host_name();
  return fmt::format("{:04x}", crc32c(std::as_bytes(std::span(host))) & 0xffffU);
}

/// The process in a temporary name, and whether it runs on this machine.
struct TemporaryWriter {
  pid_t process = 0;  ///< 0 if the name is not one of phraseq's
  bool is_here = false;
};

TemporaryWriter writer_of(std::string_view name) {
  const size_t mark = name.rfind(kMark);
  if (!name.starts_with('.') || mark == std::string_view::npos)
    return {};
  const char* begin = name.data() + mark + kMark.size();
  const char* end = name.data() + name.size();
  pid_t process = 0;
  const auto [stop, problem] = std::from_chars(begin, end, process);
  if (problem != std::errc() || end - stop != 1 + kHostDigits + kRandomDigits || *stop != '.')
    return {};
  return {process, std::string_view(stop + 1, kHostDigits) == host_digits()};
}

/// The lock that is tried is a shared one, because NFS refuses an exclusive one on a file that is
/// open for reading only.
bool is_locked(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return false;
  const bool locked = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return locked;
}

/// Takes one step along a symbolic link; false if `path` is none.
bool follow_link(std::string& path) {
  std::error_code problem;
  if (!fs::is_symlink(path, problem))
    return false;
  path = (fs::path(folder_of(path)) / fs::read_symlink(path, problem)).string();
  return true;
}

/// N of "/proc/self/fd/N"; -1 for any other path.
int descriptor_at(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  const int descriptor = number_in<int>(name).value_or(-1);
  std::error_code problem;
  return descriptor >= 0 && fs::equivalent(folder_of(path), "/proc/self/fd", problem) ? descriptor
                                                                                      : -1;
}

}  // namespace

std::string folder_of(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

std::string temporary_name(const std::string& path) {
  std::random_device entropy;
  const std::string name =
      fmt::format("{}{}.{}{:08x}", temporary_beginning(path), ::getpid(), host_digits(), entropy());
  return (fs::path(folder_of(path)) / name).string();
}

std::string temporary_beginning(const std::string& path) {
  // Any name that the file system accepts has a temporary one.
  return fmt::format(".{}{}", fs::path(path).filename().string().substr(0, kLongestBase), kMark);
}

void mark_as_written(int descriptor) {
  ::flock(descriptor, LOCK_EX | LOCK_NB);  // not every file system can
}

bool is_stale_temporary(const fs::directory_entry& entry) {
  const TemporaryWriter writer = writer_of(entry.path().filename().string());
  if (writer.process <= 0 || is_locked(entry.path().string()))
    return false;
  if (writer.is_here && ::kill(writer.process, 0) != 0 && errno == ESRCH)
    return true;
  std::error_code problem;
  const auto written = entry.last_write_time(problem);
  return !problem && fs::file_time_type::clock::now() - written > std::chrono::hours(24);
}

std::string end_of_links(std::string path) {
  for (int link = 0; link < kMaxLinks && follow_link(path); ++link) continue;
  return path;
}

int named_descriptor(std::string path) {
  int descriptor = descriptor_at(path);
  for (int link = 0; link < kMaxLinks && descriptor < 0 && follow_link(path); ++link)
    descriptor = descriptor_at(path);
  return descriptor;
}

int sync_folder(const std::string& folder) {
  if (const int pretended = failpoint("atomic_file.fsync_folder"))
    return pretended;
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return errno == EACCES ? 0 : errno;
  int result = 0;
  do {
    result = ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  } while (result == EINTR);
  ::close(descriptor);
  return result;
}

}  // namespace phraseq

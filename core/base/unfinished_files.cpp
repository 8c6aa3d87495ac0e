#include "core/base/unfinished_files.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>
#include <sys/syscall.h>

namespace phraseq {
namespace {

/// A signal handler must not allocate or lock, so the paths are in preallocated memory.
struct UnfinishedPath {
  std::atomic<pid_t> owner = 0;  ///< 0 = free, -1 = being written
  std::array<char, PATH_MAX> path{};
};

std::array<UnfinishedPath, 64> unfinished_paths;

/// An entry of a folder as the kernel writes it (getdents64): inode and offset of eight bytes, its
/// length, a byte for its type, its name.
constexpr size_t kLengthAt = 16;
constexpr size_t kNameAt = 19;

/// Unlinks what the folder holds; returns whether there was anything. readdir allocates, the system
/// call does not.
bool empty_once(int folder) noexcept {
  bool removed = false;
  alignas(8) std::array<char, 4096> block;
  ::lseek(folder, 0, SEEK_SET);
  for (long got = 0; (got = ::syscall(SYS_getdents64, folder, block.data(), block.size())) > 0;) {
    for (long at = 0; at < got;) {
      const char* entry = block.data() + at;
      unsigned short length = 0;
      std::memcpy(&length, entry + kLengthAt, sizeof length);
      removed = ::unlinkat(folder, entry + kNameAt, 0) == 0 || removed;  // fails for "." and ".."
      at += length;
    }
  }
  return removed;
}

void remove_flat_folder(const char* path) noexcept {
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return;
  while (empty_once(folder)) {
  }
  ::close(folder);
  ::rmdir(path);
}

void remove_and_end(int number) {
  remove_unfinished();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace

void remember_unfinished(const std::string& path) {
  if (path.size() >= PATH_MAX)
    return;
  for (UnfinishedPath& slot : unfinished_paths) {
    pid_t free = 0;
    if (!slot.owner.compare_exchange_strong(free, -1))
      continue;
    std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
    slot.owner = ::getpid();
    return;
  }
}

void forget_unfinished(const std::string& path) {
  for (UnfinishedPath& slot : unfinished_paths) {
    if (slot.owner > 0 && path == slot.path.data())
      slot.owner = 0;
  }
}

void remove_unfinished() noexcept {
  for (UnfinishedPath& slot : unfinished_paths) {
    if (slot.owner != ::getpid())
      continue;
    if (::unlink(slot.path.data()) != 0 && (errno == EISDIR || errno == EPERM))
      remove_flat_folder(slot.path.data());
  }
}

void remove_unfinished_on_signals() {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction action = {};
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN)
      continue;
    action = {};
    action.sa_handler = remove_and_end;
    action.sa_flags = static_cast<int>(SA_NODEFER | SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    ::sigaction(number, &action, nullptr);
  }
}

}  // namespace phraseq

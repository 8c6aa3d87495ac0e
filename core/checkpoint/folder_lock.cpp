#include "core/checkpoint/folder_lock.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/posix/host_name.h"
#include "core/io/folders/folder_entries.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

/// "PROCESS on HOST", as the holder of the lock wrote it.
std::string read_holder(int descriptor) {
  std::array<char, 256> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  std::string holder(text.data(), size > 0 ? static_cast<size_t>(size) : 0);
  holder.erase(std::min(holder.find('\n'), holder.size()));
  return holder.empty() ? "another process" : "process " + holder;
}

/// Who holds the lock, for others to read. A convenience: the lock itself does not depend on it.
void write_holder(int descriptor) {
  const std::string holder = fmt::format("{} on {}\n", ::getpid(), host_name());
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, holder.data(), holder.size(), 0) < 0) {
    log_warning(fmt::format("the lock file could not be written (errno {})", errno));
  }
}

/// Whether the last holder removed the file after it was opened here.
bool is_removed(int descriptor) {
  struct stat status = {};
  return ::fstat(descriptor, &status) == 0 && status.st_nlink == 0;
}

/// Whether an error of flock says that the file system has no locks: Lustre without -o flock, some
/// NFS servers.
bool means_no_locks(int error_number) {
  return error_number == ENOSYS || error_number == EOPNOTSUPP || error_number == ENOLCK;
}

}  // namespace

FolderLock::FolderLock(const std::string& folder)
    : folder_(folder), file_(folder_ / ".lock"), folders_(folder) {
  take();
}

void FolderLock::renew() {
  if (is_at_its_name())
    return;
  log_warning(
      fmt::format("{}: the file was removed or replaced during the run; locking the folder "
                  "again",
                  file_.string()));
  take();
}

void FolderLock::take() {
  open_file();
  lock_file();
  write_holder(descriptor_.get());
}

/// Not checked in lock_file, which would retry forever on a file system that reports two inode
/// numbers for one file.
bool FolderLock::is_at_its_name() const {
  struct stat opened = {}, named = {};
  return ::fstat(descriptor_.get(), &opened) == 0 && ::stat(file_.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

FolderLock::~FolderLock() {
  std::error_code ignored;  // what cannot be removed stays
  if (is_folder_unused())
    fs::remove(file_, ignored);  // still locked: nobody else can have begun to write
}

void FolderLock::open_file() {
  descriptor_ = Descriptor(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!descriptor_.is_open())
    throw IoError(file_.string(), "open", errno);
}

void FolderLock::lock_file() {
  while (::flock(descriptor_.get(), LOCK_EX | LOCK_NB) == 0) {
    if (!is_removed(descriptor_.get()))
      return;
    open_file();
  }
  const int reason = errno;
  if (means_no_locks(reason)) {
    log_warning(fmt::format("{}: the file system has no locks; do not train twice in this folder",
                            folder_.string()));
    return;
  }
  const std::string holder = read_holder(descriptor_.get());
  if (reason != EWOULDBLOCK)
    throw IoError(file_.string(), "lock", reason);
  throw UsageError(fmt::format("{}: {} is training in this folder", folder_.string(), holder),
                   "Use another --save-dir for this run, or stop the other run.");
}

bool FolderLock::is_folder_unused() const {
  std::error_code problem;
  const auto entries = entries_of(folder_, problem);
  return !problem && std::ranges::all_of(entries, [&](const fs::directory_entry& entry) {
    return entry.path().filename() == file_.filename();
  });
}

}  // namespace phraseq

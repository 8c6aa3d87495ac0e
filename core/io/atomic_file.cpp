#include "core/io/atomic_file.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/posix/write_all.h"
#include "core/base/unfinished_files.h"
#include "core/base/wording/counted.h"
#include "core/io/failpoint.h"
#include "core/io/folders/folder_entries.h"
#include "core/io/temporary_name.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

constexpr size_t kWriteBufferBytes = 1 << 20;

/// A device such as /dev/null or a terminal, or a pipe: its bytes go somewhere, and no rename may
/// replace it.
bool is_stream(const fs::file_status& status) {
  return fs::is_character_file(status) || fs::is_fifo(status);
}

/// The descriptor by which the caller has opened the file: others write to it, too, and would write
/// to a lost file if it were replaced. -1 = none.
int descriptor_of_caller(const std::string& path, const fs::file_status& status) {
  return fs::is_regular_file(status) ? named_descriptor(path) : -1;
}

bool is_open_for_reading_only(const std::string& path) {
  const int descriptor = named_descriptor(path);
  return descriptor >= 0 && (::fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY;
}

bool leads_to_stream(const std::string& path) {
  std::error_code unknown;
  const fs::file_status status = fs::status(path, unknown);
  return is_stream(status) || descriptor_of_caller(path, status) >= 0;
}

/// Where the bytes of a file go.
struct WriteTarget {
  std::string path;
  bool is_stream = false;
  int named_descriptor = -1;
};

/// A stream keeps its name, because /dev/stdout leads to a pipe that no other path names. For a
/// file that a rename may replace, this is where a symbolic link leads. Never a block device or a
/// folder.
WriteTarget resolve_target(const std::string& path) {
  if (path.empty()) {
    throw UsageError("the name of the file to write is empty",
                     "Give a file name, or '-' for standard output.");
  }
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (problem && problem != std::errc::no_such_file_or_directory)  // e.g. a name that is too long
    throw IoError(path, "write", problem.value());
  if (fs::is_directory(status))
    throw IoError(path, "write", EISDIR);
  if (is_stream(status))
    return {path, true};
  if (const int descriptor = descriptor_of_caller(path, status); descriptor >= 0)
    return {path, true, descriptor};
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw IoError(
        path, "replace: not a regular file", 0, "Give a file name, or '-' for standard output.");
  }
  return {end_of_links(path), false};
}

/// Gives the owner, group and permissions of the file at `path`, if there is one, to the file that
/// will replace it. Where the group cannot be kept, its permissions are those of all others.
void keep_access(int descriptor, const std::string& path) {
  struct stat old = {}, made = {};
  if (::stat(path.c_str(), &old) != 0 || !S_ISREG(old.st_mode) || ::fstat(descriptor, &made) != 0)
    return;
  mode_t mode = old.st_mode & 0777;
  if (old.st_uid != made.st_uid)
    (void)!::fchown(descriptor, old.st_uid, static_cast<gid_t>(-1));
  if (old.st_gid != made.st_gid && ::fchown(descriptor, static_cast<uid_t>(-1), old.st_gid) != 0)
    mode = (mode & 0707) | ((mode & 7) << 3);
  ::fchmod(descriptor, mode);  // not every file system has permissions
}

/// Removes temporary files of this target that killed processes have left behind.
void remove_stale_of(const std::string& path) {
  const std::string beginning = temporary_beginning(path);
  std::error_code problem;
  for (const auto& entry : entries_of(folder_of(path), problem)) {
    std::error_code gone;
    if (entry.path().filename().string().starts_with(beginning) && entry.is_regular_file(gone) &&
        is_stale_temporary(entry))
      fs::remove(entry.path(), gone);
  }
}

}  // namespace

AtomicFile::AtomicFile(std::string path, std::optional<uint64_t> expected_size) {
  WriteTarget target = resolve_target(path);
  path_ = std::move(target.path);
  is_direct_ = target.is_stream;
  if (is_direct_) {
    open_directly(target.named_descriptor);
  } else {
    create_temporary();
    reserve(expected_size.value_or(0));
  }
}

void AtomicFile::open_directly(int named_descriptor) {
  descriptor_ = named_descriptor >= 0 ? ::fcntl(named_descriptor, F_DUPFD_CLOEXEC, 0)
                                      : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor_ < 0)
    fail("open");
}

void AtomicFile::create_temporary() {
  temporary_ = temporary_name(path_);
  remove_stale_of(path_);
  remember_unfinished(temporary_);
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    forget_unfinished(std::exchange(temporary_, {}));
    fail("create");
  }
  mark_as_written(descriptor_);
  keep_access(descriptor_, path_);
}

void AtomicFile::reserve(uint64_t size) {
  if (size == 0)
    return;
  int result = failpoint("atomic_file.reserve");
  if (result == 0) {
    do {
      result = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(size));
    } while (result == EINTR);
  }
  if (result == 0 || result == EOPNOTSUPP || result == EINVAL || result == ENOSYS)
    return;  // reserved, or the file system cannot
  errno = result;
  fail("reserve space");
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
  remove_temporary();
}

void AtomicFile::remove_temporary() {
  if (temporary_.empty())
    return;
  ::unlink(temporary_.c_str());
  forget_unfinished(std::exchange(temporary_, {}));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  written_ += bytes.size();
  if (buffer_.size() + bytes.size() > kWriteBufferBytes)
    flush();
  if (bytes.size() >= kWriteBufferBytes) {
    write_through(bytes.data(), bytes.size());
  } else {
    buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void AtomicFile::finish() {
  flush();
  if (!is_direct_)
    make_durable();
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0 && errno != EINTR)
    fail("close");
  if ((errno = failpoint("atomic_file.close")) != 0)
    fail("close");
}

void AtomicFile::make_durable() {
  // Drops what was reserved and not used; a short file must not end in zeros.
  if (::ftruncate(descriptor_, static_cast<off_t>(written_)) != 0)
    fail("set the size of");
  if ((errno = failpoint("atomic_file.fsync")) != 0 || ::fsync(descriptor_) != 0) {
    // Not tried again: Linux reports a lost page once and then considers it clean.
    fail("fsync");
  }
}

void AtomicFile::commit() {
  if (descriptor_ >= 0)
    finish();
  if (is_direct_)
    return;
  if ((errno = failpoint("atomic_file.before_rename")) != 0)
    fail("rename");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    fail("rename");
  forget_unfinished(std::exchange(temporary_, {}));
  failpoint("atomic_file.after_rename");
  if ((errno = sync_folder(folder_of(path_))) != 0)
    fail("fsync the folder of");
}

/// Removes the temporary file and reports errno.
void AtomicFile::fail(const char* step) {
  const int error_number = errno;
  if (descriptor_ >= 0)
    ::close(std::exchange(descriptor_, -1));
  remove_temporary();
  throw IoError(path_, step, error_number);
}

void AtomicFile::flush() {
  write_through(reinterpret_cast<const std::byte*>(buffer_.data()), buffer_.size());
  buffer_.clear();
}

void AtomicFile::write_through(const std::byte* data, size_t size) {
  if ((errno = failpoint("atomic_file.write")) != 0)
    fail("write");
  errno = write_all(descriptor_, {reinterpret_cast<const char*>(data), size}).problem;
  if (errno != 0)
    fail("write");
}

void write_file(const std::string& path, std::string_view text) {
  AtomicFile file(path, text.size());
  file.write(text);
  file.commit();
}

void check_target(const std::string& path) {
  if (!leads_to_stream(path)) {
    const AtomicFile tried(path);
    return;
  }
  // Not opened: a pipe that is closed again ends for its reader.
  if (::access(path.c_str(), W_OK) != 0)
    throw IoError(path, "open", errno);
  if (is_open_for_reading_only(path))
    throw IoError(path, "write: open for reading only", 0);
}

void check_result_target(const std::string& path) {
  if (!path.empty() && path != "-")
    check_target(path);
}

void check_not_an_input(const std::string& path, const std::vector<std::string>& inputs) {
  std::error_code missing;
  if (!fs::is_regular_file(path, missing))
    return;
  for (const std::string& input : inputs) {
    if (fs::equivalent(path, input, missing)) {
      throw UsageError(fmt::format("{}: is one of the inputs, which would be lost", path),
                       "Write to another file.");
    }
  }
}

int remove_stale_temporaries(const std::string& folder) {
  int removed = 0;
  std::error_code problem;
  for (const auto& entry : entries_of(folder, problem)) {
    std::error_code gone;
    if (entry.is_regular_file(gone) && is_stale_temporary(entry) && fs::remove(entry.path(), gone))
      ++removed;
  }
  if (removed > 0)
    log_info(fmt::format("{}: removed {}", folder, counted(removed, "unfinished file")));
  return removed;
}

}  // namespace phraseq

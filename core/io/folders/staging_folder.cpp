#include "core/io/folders/staging_folder.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <sys/file.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/unfinished_files.h"
#include "core/io/descriptor.h"
#include "core/io/failpoint.h"
#include "core/io/folders/folder_entries.h"
#include "core/io/temporary_name.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

void require_name(const std::string& path) {
  if (path.empty())
    throw UsageError("the name of the folder to write is empty", "Give the name of a folder.");
}

/// Where a link leads, even if nothing exists there yet. A "/" at the end is left out: it would
/// hide the link, and be an empty name.
std::string folder_named_by(std::string path) {
  require_name(path);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return end_of_links(std::move(path));
}

/// What the temporary folder is named after: the destination or, if it already exists, a name
/// within it. A rename cannot replace ".", a mount point or what a symbolic link leads to, and
/// the folder that holds the destination may be another file system or closed to the user.
std::string staged_next_to(const std::string& destination) {
  std::error_code problem;
  return fs::is_directory(destination, problem) ? destination + "/new" : destination;
}

void remove_left_over(const std::string& neighbor) {
  const std::string beginning = temporary_beginning(neighbor);
  std::error_code problem;
  for (const auto& entry : entries_of(folder_of(neighbor), problem)) {
    const bool ours = entry.path().filename().string().starts_with(beginning);
    std::error_code gone;
    if (!ours || !entry.is_directory(gone) || !is_stale_temporary(entry))
      continue;
    fs::remove_all(entry.path(), gone);
    log_info(fmt::format("{}: removed files of an unfinished run", entry.path().string()));
  }
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : entries_of(folder)) names.push_back(entry.path().filename().string());
  return names;
}

}  // namespace

void make_folders(const std::string& path) {
  std::error_code problem;
  fs::create_directories(folder_named_by(path), problem);
  if (!problem && !fs::is_directory(path, problem) && !problem)
    problem = std::make_error_code(std::errc::not_a_directory);
  if (problem)
    throw IoError(path, "make the folder", problem.value());
}

void reject_existing(const std::string& path, const std::string& hint) {
  std::error_code missing;
  if (fs::exists(fs::symlink_status(path, missing)))
    throw UsageError(path + " exists and would be replaced", hint);
}

NewFolders::NewFolders(const std::string& path) {
  std::error_code problem;
  for (fs::path at = folder_named_by(path); !at.empty() && !fs::exists(at, problem);
       at = at.parent_path())
    made_.push_back(at);
  make_folders(path);
}

NewFolders::~NewFolders() {
  std::error_code ignored;  // not empty, for example
  for (const fs::path& made : made_) fs::remove(made, ignored);
}

StagingFolder::StagingFolder(std::string destination)
    : destination_(folder_named_by(std::move(destination))),
      path_(temporary_name(staged_next_to(destination_))) {
  make_folders(folder_of(destination_));
  std::error_code problem;
  const bool is_there = fs::exists(destination_, problem);
  if (is_there && !fs::is_directory(destination_, problem))
    throw IoError(destination_, "write into", ENOTDIR);
  remove_left_over(destination_);
  remove_left_over(destination_ + "/new");
  remember_unfinished(path_);
  fs::create_directory(path_, problem);
  if (problem) {
    forget_unfinished(path_);
    throw IoError(destination_, is_there ? "write into" : "write next to", problem.value());
  }
  lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ >= 0)
    mark_as_written(lock_);
}

void StagingFolder::reject_replacement(const std::string& hint) const {
  for (const std::string& name : names_in(path_)) reject_existing(destination_ + "/" + name, hint);
}

StagingFolder::~StagingFolder() {
  if (lock_ >= 0)
    ::close(lock_);  // first: to remove a folder takes a file descriptor
  if (path_.empty())
    return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  forget_unfinished(path_);
}

void StagingFolder::commit(const std::string& last) {
  std::error_code problem;
  if (const int pretended = failpoint("staging_folder.before_rename"))
    throw IoError(destination_, "rename to", pretended);
  if (fs::is_directory(destination_, problem) || !take_name())
    move_files(last);
  forget_unfinished(std::exchange(path_, {}));
  for (const std::string& folder : {destination_, folder_of(destination_)}) {
    if (const int failed = sync_folder(folder))
      throw IoError(folder, "fsync", failed);
  }
}

/// Gives the folder its name; false if another process has just made a folder of that name.
bool StagingFolder::take_name() {
  std::error_code problem;
  fs::rename(path_, destination_, problem);
  if (problem == std::errc::directory_not_empty || problem == std::errc::file_exists)
    return false;
  if (problem)
    throw IoError(destination_, "rename to", problem.value());
  return true;
}

void StagingFolder::move_files(const std::string& last) {
  // One process at a time: the files of two must not mix.
  const Descriptor folder{::open(destination_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (folder.is_open()) {
    while (::flock(folder.get(), LOCK_EX) != 0 && errno == EINTR) continue;
  }
  for (const std::string& name : names_in(path_)) {
    if (name != last)
      move_file(name);
  }
  failpoint("staging_folder.before_last");
  move_file(last);
  fs::remove(path_);
}

void StagingFolder::move_file(const std::string& name) {
  std::error_code problem;
  fs::rename(path_ + "/" + name, destination_ + "/" + name, problem);
  if (problem)
    throw IoError(destination_ + "/" + name,
                  "rename to",
                  problem.value(),
                  "The folder may contain old and new files now: run the command again.");
}

}  // namespace phraseq

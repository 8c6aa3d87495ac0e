#pragma once

#include <filesystem>
#include <string>

#include "core/base/api.h"

namespace phraseq {

/// `.NAME.tmp.PID.NUMBER` in the folder of `path`: what is renamed to `path` once it is complete.
/// The number consists of four digits that belong to this machine, and eight random ones.
PHRASEQ_API std::string temporary_name(const std::string& path);

/// The beginning of such names for `path`: `.NAME.tmp.`
std::string temporary_beginning(const std::string& path);

/// Tells other processes, including those on other machines that share the folder, that this one
/// writes the open temporary file: a lock, which ends with the process.
void mark_as_written(int descriptor);

/// Whether a folder's entry has such a name, nobody holds its lock, and its process, which ran on
/// this machine, is gone or it is older than a day.
bool is_stale_temporary(const std::filesystem::directory_entry& entry);

/// The folder that holds `path`; "." for a bare name.
std::string folder_of(const std::string& path);

/// Where symbolic links lead, even if nothing exists there yet; `path` itself if it is not a link.
std::string end_of_links(std::string path);

/// The descriptor of this process that a path such as /dev/stdout, /dev/fd/3 or a link to one of
/// them names, open or not; -1 for any other path.
int named_descriptor(std::string path);

/// After a rename, only this makes the new name survive a power failure. Returns an errno, 0 =
/// done. Some file systems do not support it, and folders that may only be written to cannot be
/// opened for it; that is not an error.
int sync_folder(const std::string& folder);

}  // namespace phraseq

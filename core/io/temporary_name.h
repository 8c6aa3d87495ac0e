#pragma once

#include <filesystem>
#include <string>

namespace phraseq {

/// `.NAME.tmp.PID.RANDOM` in the folder of `path`: what becomes `path` by a rename, once it is
/// whole.
std::string temporary_name(const std::string& path);

/// What such names of `path` begin with: `.NAME.tmp.`
std::string temporary_beginning(const std::string& path);

/// Says to other processes, also of other machines that share the folder, that this one writes the
/// open temporary file: a lock, which ends with the process.
void mark_as_written(int descriptor);

/// Whether a folder's entry has such a name, nobody holds its lock, and its process is gone or it
/// is older than a day.
bool is_stale_temporary(const std::filesystem::directory_entry& entry);

/// The folder that holds `path`; "." for a bare name.
std::string folder_of(const std::string& path);

/// Where symbolic links lead, also when nothing is there yet; `path` itself when it is no link.
std::string end_of_links(std::string path);

/// After a rename only this makes the new name survive a power cut. Returns an errno, 0 = done.
/// Some file systems cannot; that is not an error.
int sync_folder(const std::string& folder);

}  // namespace phraseq

#include "core/io/folders/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {

namespace fs = std::filesystem;

std::string folder_for_temporary_files() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen == nullptr || *chosen == '\0' ? "/tmp" : chosen;
}

ScratchFolder::ScratchFolder(std::string_view purpose)
    : path_(fmt::format("{}/phraseq-{}-XXXXXX", folder_for_temporary_files(), purpose)) {
  if (::mkdtemp(path_.data()) != nullptr)
    return;
  const int reason = errno;
  throw IoError(fmt::format("the folder for temporary files, '{}'", folder_for_temporary_files()),
                "use",
                reason,
                "Set TMPDIR to an existing folder that you can write to.");
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace phraseq

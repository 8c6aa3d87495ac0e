#include "core/io/folders/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

std::string folder_for_temporary_files() {
  const char* chosen = std::getenv("TMPDIR");
  if (chosen != nullptr && *chosen == '\0')
    return "/tmp";  // empty is the same as not set, as for mktemp
  std::error_code problem;
  const fs::path folder = fs::temp_directory_path(problem);
  if (!problem)
    return folder.string();
  throw IoError(fmt::format("the folder for temporary files, '{}'", chosen ? chosen : "/tmp"),
                "use",
                problem.value(),
                "Set TMPDIR to a folder that exists.");
}

}  // namespace

ScratchFolder::ScratchFolder(std::string_view purpose)
    : path_(fmt::format("{}/phraseq-{}-XXXXXX", folder_for_temporary_files(), purpose)) {
  if (::mkdtemp(path_.data()) == nullptr)
    throw IoError(path_, "make a folder like", errno);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace phraseq

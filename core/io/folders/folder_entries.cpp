#include "core/io/folders/folder_entries.h"

#include "core/base/error.h"

namespace phraseq {

namespace fs = std::filesystem;

std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::error_code problem;
  auto entries = entries_of(folder, problem);
  if (problem)
    throw IoError(folder.string(), "list", problem.value());
  return entries;
}

std::vector<fs::directory_entry> entries_of(const fs::path& folder, std::error_code& problem) {
  std::vector<fs::directory_entry> entries;
  // The ++ of a range-based loop would throw an error without the folder's name.
  for (fs::directory_iterator entry(folder, problem); !problem && entry != fs::directory_iterator();
       entry.increment(problem))
    entries.push_back(*entry);
  return entries;
}

}  // namespace phraseq

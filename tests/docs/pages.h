#pragma once

#include <filesystem>
#include <vector>

#include "tests/support/file_content.h"

namespace phraseq::docs {

inline const std::filesystem::path kSource = PHRASEQ_SOURCE_FOLDER;

/// Every hand-written and generated page of the source tree.
inline std::vector<std::filesystem::path> all_pages() {
  std::vector<std::filesystem::path> pages = {
      kSource / "README.md", kSource / "CONTRIBUTING.md", kSource / "CHANGELOG.md"};
  for (const char* folder : {"docs", "examples", "plugins", "tasks", "criterions"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource / folder)) {
      if (entry.path().extension() == ".md")
        pages.push_back(entry.path());
    }
  }
  return pages;
}

}  // namespace phraseq::docs

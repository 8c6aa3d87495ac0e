#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/sdk/shell.h"

namespace phraseq::sdk {

/// Writes the files in the code blocks of a page: a block whose first line is "```LANGUAGE FILE" is
/// the file or its next part, except for declarations from phraseq's own headers ("core/…").
/// Returns the number of blocks.
inline int write_code_blocks(const std::string& page,
                             const GrowingFolder& folder,
                             const std::string& into) {
  int blocks = 0;
  std::string file;
  bool inside = false;
  for (size_t at = 0; at < page.size();) {
    const size_t end = std::min(page.find('\n', at), page.size());
    const std::string line = page.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("```")) {
      const size_t space = line.find(' ');
      file = inside || space == std::string::npos ? "" : line.substr(space + 1);
      inside = !inside;
      if (file.starts_with("core/"))
        file.clear();
      if (file.empty())
        continue;
      ++blocks;
      if (std::filesystem::exists(folder.path(into + "/" + file)))
        folder.write(into + "/" + file, "\n");
    } else if (inside && !file.empty()) {
      folder.write(into + "/" + file, line + "\n");
    }
  }
  return blocks;
}

}  // namespace phraseq::sdk

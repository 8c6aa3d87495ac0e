#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace phraseq::testing_support {

/// The cells of the table rows in docs/parameters/ARCHITECTURE.md that begin with a name in
/// backquotes, without the backquotes.
inline std::vector<std::vector<std::string>> parameter_rows(const std::string& architecture) {
  std::ifstream page(PHRASEQ_SOURCE_FOLDER "/docs/parameters/" + architecture + ".md");
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `"))
      continue;
    std::vector<std::string> cells;
    std::istringstream rest(line.substr(1));
    for (std::string cell; std::getline(rest, cell, '|');) {
      std::erase(cell, '`');
      cells.push_back(cell.substr(1, cell.size() - 2));
    }
    rows.push_back(cells);
  }
  return rows;
}

}  // namespace phraseq::testing_support

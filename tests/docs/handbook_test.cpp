// Compares the declarations in the handbook with the headers from which they are copied.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/file_content.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

const fs::path kTree = PHRASEQ_SOURCE_FOLDER;

/// Code without comments, the export mark and whitespace.
std::string bare_code(const std::string& code) {
  std::string bare;
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) {
    line.resize(std::min(line.find("//"), line.size()));
    for (const char c : line) {
      if (std::isspace(static_cast<unsigned char>(c)) == 0)
        bare += c;
    }
  }
  for (size_t at = bare.find("PHRASEQ_API"); at != std::string::npos; at = bare.find("PHRASEQ_API"))
    bare.erase(at, std::string("PHRASEQ_API").size());
  return bare;
}

/// Declarations of a code block, each up to its semicolon.
std::vector<std::string> declarations_of(const std::string& block) {
  std::vector<std::string> declarations;
  std::istringstream parts(bare_code(block));
  for (std::string part; std::getline(parts, part, ';');) declarations.push_back(part);
  return declarations;
}

struct QuotedBlock {
  std::string page, header, code;
};

/// Code blocks of the handbook whose first line names a header of core/.
std::vector<QuotedBlock> quoted_blocks() {
  std::vector<QuotedBlock> blocks;
  const std::string mark = "```cpp core/";
  for (const auto& entry : fs::directory_iterator(kTree / "docs/handbook")) {
    const std::string page = content_of(entry.path());
    for (size_t at = page.find(mark); at != std::string::npos; at = page.find(mark, at + 1)) {
      const size_t line_end = page.find('\n', at);
      const size_t end = page.find("\n```", line_end);
      const size_t name = at + std::string("```cpp ").size();
      blocks.push_back({entry.path().filename().string(),
                        page.substr(name, line_end - name),
                        page.substr(line_end, end - line_end)});
    }
  }
  return blocks;
}

TEST(DeclarationsInTheHandbook, AreThoseOfTheHeaders) {
  size_t checked = 0;
  for (const QuotedBlock& block : quoted_blocks()) {
    ASSERT_TRUE(fs::is_regular_file(kTree / block.header)) << block.page << ": " << block.header;
    const std::string header = bare_code(content_of(kTree / block.header));
    for (const std::string& declaration : declarations_of(block.code)) {
      ++checked;
      EXPECT_TRUE(header.find(declaration) != std::string::npos)
          << block.page << " shows a declaration that " << block.header << " does not have:\n"
          << declaration;
    }
  }
  EXPECT_GT(checked, 30u);
}

}  // namespace
}  // namespace phraseq

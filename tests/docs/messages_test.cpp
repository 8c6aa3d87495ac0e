// Messages of programs that pages quote, against the sources and the programs.

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/io/temporary_folder.h"
#include "tests/docs/pages.h"
#include "tests/support/shell.h"

namespace phraseq::docs {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// The sources of a folder, with the pieces of each string literal joined.
std::string literals_below(const std::string& folder) {
  std::string text;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / folder)) {
    if (entry.path().extension() == ".cpp")
      text += content_of(entry.path());
  }
  return std::regex_replace(text, std::regex("\"\\s*\\n\\s*\""), "");
}

/// The rows of the table below `header`.
std::vector<std::string> rows_below(const std::string& page, const std::string& header) {
  std::vector<std::string> rows;
  size_t at = page.find('\n', page.find(header));  // the line of dashes follows
  for (at = page.find('\n', at + 1) + 1; page[at] == '|'; at = page.find('\n', at) + 1)
    rows.push_back(page.substr(at, page.find('\n', at) - at));
  return rows;
}

/// What is quoted in the first column of a row, in pieces between "…" and "'…'".
std::vector<std::string> quoted_pieces(const std::string& row) {
  static const std::regex quoted("`([^`]+)`"), gap("'?…'?");
  const std::string column = row.substr(0, row.find(" |"));
  std::vector<std::string> pieces;
  for (std::sregex_iterator at(column.begin(), column.end(), quoted), end; at != end; ++at) {
    const std::string text = (*at)[1];
    for (std::sregex_token_iterator piece(text.begin(), text.end(), gap, -1), last; piece != last;
         ++piece)
      pieces.push_back(*piece);
  }
  return pieces;
}

TEST(ThePluginPage, QuotesTheMessagesOfTheLoader) {
  const std::string literals = literals_below("core/plugin");
  const auto rows = rows_below(content_of(kSource / "docs/guide/plugins.md"), "| message |");
  EXPECT_GE(rows.size(), 8u);
  for (const std::string& row : rows) {
    const auto pieces = quoted_pieces(row);
    EXPECT_FALSE(pieces.empty()) << row;
    for (const std::string& piece : pieces)
      EXPECT_NE(literals.find(piece), std::string::npos) << "'" << piece << "' of " << row;
  }
}

/// What a command writes, run in a folder.
std::string output_of(const std::string& arguments, const TemporaryFolder& folder) {
  return testing::shell("cd " + folder.path() + " && " PHRASEQ_BUILD_FOLDER "/bin/phraseq " +
                        arguments)
      .text;
}

TEST(ThePreprocessPage, ShowsTheErrorOfAnInvalidLine) {
  const TemporaryFolder folder;
  std::string text;
  for (int line = 1; line < 1042; ++line) text += "y\n";
  folder.write("train.en", text + "y\n");
  folder.write("train.de", text + std::string(56, 'x') + "\xC3\n");
  EXPECT_THAT(content_of(kSource / "docs/guide/preprocess.md"),
              HasSubstr(output_of("preprocess -s en -t de --trainpref train", folder)));
}

TEST(TheOptionsPage, ShowsTheReportOfSeveralProblems) {
  EXPECT_THAT(content_of(kSource / "docs/guide/options.md"),
              HasSubstr(output_of("train data-bin --arch transformer_tiny --dropot 0.1 "
                                  "--max-update 10k --label-smoothing 1.5",
                                  TemporaryFolder())));
}

}  // namespace
}  // namespace phraseq::docs

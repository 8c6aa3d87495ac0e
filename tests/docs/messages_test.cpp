// Compares messages that pages quote with the sources and the programs, and checks the style of the
// hints of errors.

#include <filesystem>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/io/temporary_folder.h"
#include "tests/docs/pages.h"
#include "tests/support/shell.h"

namespace phraseq::docs {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The sources of a folder, in which the pieces of each string literal are joined.
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

/// The quoted pieces in the first column of a row, between "…" and "'…'".
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

/// The output of a command that is run in a folder.
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

/// The source text of the arguments of a call, where `text` begins after the opening parenthesis.
std::vector<std::string> arguments_in(std::string_view text) {
  std::vector<std::string> arguments(1);
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    size_t end = at + 1;
    if (text[at] == '"' || text[at] == '\'') {
      while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' ? 2 : 1;
      ++end;
    }
    const std::string_view piece = text.substr(at, end - at);
    depth += piece == "(" || piece == "{" || piece == "[";
    depth -= piece == ")" || piece == "}" || piece == "]";
    if (depth < 0)
      break;
    if (depth == 0 && piece == ",")
      arguments.emplace_back();
    else if (piece != " " || !arguments.back().empty())
      arguments.back() += piece;
    at = end - 1;
  }
  return arguments;
}

/// The argument of an error's constructor that is its hint; empty if there is none.
std::string hint_among(const std::vector<std::string>& arguments, const std::string& error) {
  const bool has_place = error == "DataError" && arguments[0].find('"') == std::string::npos;
  const size_t place = error == "IoError" ? 3 : has_place ? 2 : 1;
  return place < arguments.size() ? arguments[place] : "";
}

/// The literals of a hint: itself, a format, the branches of a conditional, or the constant that it
/// names. A literal after "+" does not begin a sentence.
std::vector<std::string> literals_of(std::string hint, const std::string& source) {
  static const std::regex constant("k[A-Z]\\w*");
  static const std::regex literal(R"re((?:^|[?:] |fmt::format\( ?)("(?:\\.|[^"\\])*"(?: \+)?))re");
  if (std::regex_match(hint, constant)) {
    const size_t value = source.find(hint + " =");
    hint = value == std::string::npos ? "" : source.substr(source.find('"', value));
    hint = hint.substr(0, hint.find("\";") + 1);
  }
  std::vector<std::string> literals;
  for (std::sregex_iterator at(hint.begin(), hint.end(), literal), end; at != end; ++at)
    literals.push_back((*at)[1]);
  return literals;
}

/// The literals of the hints in a source, in which white space is single spaces and each literal is
/// in one piece.
std::vector<std::string> hints_in(const std::string& source) {
  static const std::regex thrown(
      "(?:throw|return) ((?:Usage|Data|Format|Plugin|Io|Divergence)Error|RankFailure)\\(");
  std::vector<std::string> hints;
  for (std::sregex_iterator at(source.begin(), source.end(), thrown), end; at != end; ++at) {
    const auto arguments = arguments_in(
        std::string_view(source).substr(static_cast<size_t>(at->position() + at->length())));
    for (const auto& hint : literals_of(hint_among(arguments, (*at)[1]), source))
      hints.push_back(hint);
  }
  return hints;
}

/// Whether a literal begins like a sentence, an option, a command or a quotation, and ends like a
/// sentence or with the text of another error or an appended text.
bool is_sentence(const std::string& literal) {
  static const std::regex sentence(
      R"re("(?:[A-Z0-9'`{]|--|phraseq )[^]*(?:[.?!]"|\\n \{\}"|" \+))re");
  return std::regex_match(literal, sentence);
}

TEST(Hints, AreSentences) {
  size_t hints = 0;
  for (const char* folder : {"core", "cli", "plugins", "tasks", "criterions"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / folder)) {
      if (entry.path().extension() != ".cpp")
        continue;
      const std::string joined =
          std::regex_replace(content_of(entry.path()), std::regex("\"\\s*\\n\\s*\""), "");
      for (const auto& hint : hints_in(std::regex_replace(joined, std::regex("\\s+"), " "))) {
        EXPECT_TRUE(is_sentence(hint)) << entry.path() << ": " << hint;
        ++hints;
      }
    }
  }
  EXPECT_GT(hints, 300u);
}

TEST(Hints, AreFoundInEachKindOfError) {
  EXPECT_THAT(
      hints_in("const char* kDo = \"Do.\"; throw UsageError(fmt::format(\"a, {}\", b(c)), kDo); "
               "throw DataError({path, 1, 0}, \"is wrong\"); "
               "throw DataError(place, \"is wrong\", \"Correct, it.\"); "
               "throw IoError(path, \"open\", ENOENT, a ? \"Name b.\" : \"Name c.\"); "
               "return FormatError(\"is old\", fmt::format( \"write {}\", d));"),
      ElementsAre("\"Do.\"", "\"Correct, it.\"", "\"Name b.\"", "\"Name c.\"", "\"write {}\""));
  EXPECT_FALSE(is_sentence("\"write {}\""));
  EXPECT_FALSE(is_sentence("\"give one.\""));
  EXPECT_FALSE(is_sentence("\"Give one\""));
}

}  // namespace
}  // namespace phraseq::docs

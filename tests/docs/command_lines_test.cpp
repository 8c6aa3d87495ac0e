// Checks that the commands and options in the command lines of all pages exist, according to
// docs/options, which the test OptionPages keeps equal to the programs.

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/docs/pages.h"

namespace phraseq::docs {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

/// The first group of every match of a pattern.
std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<std::string> found;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), expression);
       at != std::sregex_iterator();
       ++at)
    found.push_back((*at)[1]);
  return found;
}

/// The names of options in the first column of a page's tables.
Names options_of_page(const fs::path& page) {
  Names names;
  std::istringstream lines(content_of(page));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `"))
      continue;
    const std::string column = line.substr(0, line.find(" | "));
    for (const std::string& name : matches(column, "`\\[?(--?[a-z][a-z0-9-]*)\\]?`"))
      names.insert(name);
  }
  return names;
}

/// Command → its options; "" → those of components, of examples' plugins and of every command.
std::map<std::string, Names> known_options() {
  std::map<std::string, Names> known;
  known[""] = {"--help", "--help-man", "--version", "--config", "--print-config", "-h"};
  for (const auto& entry : fs::directory_iterator(kSource / "docs/options")) {
    const std::string name = entry.path().stem().string();
    const bool command = name.starts_with("phraseq-");
    known[command ? name.substr(8) : ""].merge(options_of_page(entry.path()));
  }
  for (const char* folder : {"docs/handbook", "docs/guide", "examples", "cli/templates"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / folder)) {
      if (!entry.is_regular_file())
        continue;
      for (const std::string& name :
           matches(content_of(entry.path()), "field\\(\\s*\"([a-z@][a-z@-]*)\""))
        known[""].insert("--" + name);
    }
  }
  return known;
}

/// Lines of fenced and of indented blocks, continued ones joined, and `code` within text.
std::vector<std::string> code_lines(const std::string& page) {
  std::vector<std::string> code;
  std::istringstream lines(page);
  std::string joined;
  bool fenced = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("```") == line.find_first_not_of(' ')) {
      fenced = !fenced && !line.empty();
      continue;
    }
    if (!fenced && !line.starts_with("    ")) {
      for (const std::string& inline_code : matches(line, "`([^`]+)`")) code.push_back(inline_code);
      continue;
    }
    const bool continued = line.ends_with("\\");
    joined += line.substr(0, line.size() - (continued ? 1 : 0)) + " ";
    if (!continued)
      code.push_back(std::exchange(joined, {}));
  }
  return code;
}

/// The arguments of the calls of phraseq in a line of shell.
std::vector<std::vector<std::string>> calls_in(const std::string& line) {
  static const std::regex separators("([|;&)(]|\\s#.*)"), assignments("[A-Z_]+=.*|\\$");
  std::vector<std::vector<std::string>> calls;
  if (line.find("phraseq") == std::string::npos)
    return calls;
  std::istringstream words(std::regex_replace(line, separators, " ; "));
  bool beginning = true, reading = false;
  for (std::string word; words >> word;) {
    const bool assignment = std::regex_match(word, assignments);
    if (word == ";") {
      beginning = true;
      reading = false;
    } else if (beginning && (word == "phraseq" || word.ends_with("/phraseq"))) {
      calls.emplace_back();
      reading = true;
      beginning = false;
    } else {
      if (reading)
        calls.back().push_back(word);
      beginning = beginning && assignment;
    }
  }
  return calls;
}

/// The error in a call; empty if there is none.
std::string fault(const std::vector<std::string>& words,
                  const std::map<std::string, Names>& known) {
  static const std::regex command("[a-z][a-z-]*"), option("(--?[a-z][a-zA-Z0-9_-]*)(=.*)?"),
      underscore("_");
  // These are not calls: text that begins with the name, a message of a program, or a placeholder.
  if (words.empty() || !std::regex_match(words[0], command))
    return {};
  if (!known.contains(words[0]))
    return "there is no command '" + words[0] + "'";
  for (const std::string& word : words) {
    std::smatch parts;
    if (!std::regex_match(word, parts, option))
      continue;
    const std::string name = std::regex_replace(parts[1].str(), underscore, "-");
    const std::string positive = name.starts_with("--no-") ? "--" + name.substr(5) : name;
    const Names &own = known.at(words[0]), &shared = known.at("");
    if (!own.contains(name) && !shared.contains(name) && !own.contains(positive) &&
        !shared.contains(positive))
      return "'" + words[0] + "' has no option " + name;
  }
  return {};
}

TEST(CommandLinesInPages, NameCommandsAndOptionsThatExist) {
  const auto known = known_options();
  size_t checked = 0;
  for (const fs::path& page : all_pages()) {
    for (const std::string& line : code_lines(content_of(page))) {
      for (const auto& words : calls_in(line)) {
        ++checked;
        EXPECT_EQ(fault(words, known), "") << page << ": " << line;
      }
    }
  }
  EXPECT_GT(checked, 100u);
}

TEST(CommandLinesInPages, AreFoundInBlocksAndInText) {
  const std::string page =
      "Run `phraseq score ref`.\n\n```sh\n$ A=b build/bin/phraseq train x \\\n  --lr 1 | phraseq "
      "plot -  # "
      "phraseq no\n```\n\n    phraseq average a && phraseq inspect b\n\nphraseq is text.\n";
  std::vector<std::vector<std::string>> calls;
  for (const std::string& line : code_lines(page)) {
    for (const auto& call : calls_in(line)) calls.push_back(call);
  }
  EXPECT_EQ(calls,
            (std::vector<std::vector<std::string>>{{"score", "ref"},
                                                   {"train", "x", "--lr", "1"},
                                                   {"plot", "-"},
                                                   {"average", "a"},
                                                   {"inspect", "b"}}));
}

TEST(CommandLinesInPages, AreRefusedWithUnknownCommandsAndOptions) {
  const std::map<std::string, Names> known = {{"", {"--help"}}, {"train", {"--lr", "--tie", "-s"}}};
  EXPECT_EQ(fault({"train", "data", "--lr=1", "--no-tie", "--help", "-s", "-1"}, known), "");
  EXPECT_EQ(fault({"trian", "--lr"}, known), "there is no command 'trian'");
  EXPECT_EQ(fault({"train", "--learning_rate", "1"}, known),
            "'train' has no option --learning-rate");
  EXPECT_EQ(fault({"train", "-z"}, known), "'train' has no option -z");
}

}  // namespace
}  // namespace phraseq::docs

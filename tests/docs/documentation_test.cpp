// Compares the pages under docs/ with the tree and the built programs.

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/io/temporary_folder.h"
#include "tests/docs/page_links.h"
#include "tests/docs/pages.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using docs::all_pages;
using docs::kSource;
using docs::Link;
using docs::links_and_places_in;
using docs::links_in;

/// File name → content of a flat folder's Markdown pages.
std::map<std::string, std::string> pages_of(const fs::path& folder) {
  std::map<std::string, std::string> pages;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".md")
      pages[entry.path().filename().string()] = content_of(entry.path());
  }
  return pages;
}

TEST(OptionPages, MatchTheHelpOfCommandsAndComponents) {
  const TemporaryFolder folder;
  const std::string command = "env -u PHRASEQ_PLUGIN_PATH " PHRASEQ_BUILD_FOLDER
                              "/bin/phraseq-plugins options --output " +
                              folder.path();
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto fresh = pages_of(folder.path());
  const auto committed = pages_of(kSource / "docs/options");
  EXPECT_GT(fresh.size(), 30u);
  for (const auto& [name, text] : fresh) {
    ASSERT_TRUE(committed.contains(name)) << name << " is missing: run scripts/update_docs.sh";
    EXPECT_EQ(committed.at(name), text) << name << " is out of date: run scripts/update_docs.sh";
  }
  for (const auto& [name, text] : committed) {
    EXPECT_TRUE(fresh.contains(name))
        << name << " describes something that does not exist: run scripts/update_docs.sh";
  }
}

/// The anchor of a heading: lower case, with "-" for spaces, and only letters, digits, "-" and "_".
std::string place_of_heading(const std::string& heading) {
  std::string place;
  for (const char c : heading) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_')
      place += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (c == ' ')
      place += '-';
  }
  return place;
}

/// The anchors within a page.
std::set<std::string> places_in(const std::string& text) {
  std::set<std::string> places;
  std::istringstream lines(text);
  bool fenced = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```"))
      fenced = !fenced;
    const size_t level = std::min(line.find_first_not_of('#'), line.size());
    if (!fenced && level > 0 && level < line.size() && line[level] == ' ')
      places.insert(place_of_heading(line.substr(level + 1)));
  }
  return places;
}

TEST(LinksInPages, LeadToFiles) {
  size_t checked = 0;
  for (const fs::path& page : all_pages()) {
    for (const std::string& link : links_in(content_of(page))) {
      ++checked;
      EXPECT_TRUE(fs::exists(page.parent_path() / link)) << page << " links to " << link;
    }
  }
  EXPECT_GT(checked, 50u);
}

TEST(LinksInPages, LeadToHeadings) {
  size_t checked = 0;
  for (const fs::path& page : all_pages()) {
    for (const Link& link : links_and_places_in(content_of(page))) {
      if (link.place.empty())
        continue;
      ++checked;
      const fs::path target = link.file.empty() ? page : page.parent_path() / link.file;
      EXPECT_THAT(places_in(content_of(target)), testing::Contains(link.place))
          << page << " links to " << link.file << "#" << link.place;
      EXPECT_EQ(link.place.find("--"), std::string::npos)
          << page << ": #" << link.place << " has another name in the site (scripts/build_docs.sh)";
    }
  }
  EXPECT_GT(checked, 5u);
}

TEST(LinksInPages, NameHeadingsInLowerCaseWithoutPunctuation) {
  EXPECT_THAT(places_in("# A title\n\n```sh\n# no heading\n```\n## `--lr`, and more\n"),
              testing::ElementsAre("--lr-and-more", "a-title"));
}

/// The pictures are what docs/diagrams/draw.py draws.
TEST(Diagrams, AreUpToDate) {
  const TemporaryFolder folder;
  const std::string command =
      "python3 -B " + (kSource / "docs/diagrams/draw.py").string() + " " + folder.path();
  ASSERT_EQ(std::system(command.c_str()), 0);
  size_t checked = 0;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    ++checked;
    const fs::path committed = kSource / "docs/diagrams" / entry.path().filename();
    EXPECT_EQ(content_of(entry.path()), content_of(committed)) << "run docs/diagrams/draw.py";
  }
  EXPECT_EQ(checked, 7u);
}

struct BareFlag {
  std::string flag, value;
};

/// Claims in a page such as "`--flag` is `--flag value`" or "`--flag` alone means `--flag value`".
std::vector<BareFlag> bare_flags_in(const std::string& text) {
  const std::regex claim("`(--[a-z-]+)`(?: alone)? (?:is|means) `\\1 ([^`]+)`");
  std::vector<BareFlag> found;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), claim);
       at != std::sregex_iterator();
       ++at)
    found.push_back({(*at)[1], (*at)[2]});
  return found;
}

TEST(BareFlagsInTheGuide, AreWhatTheOptionPagesSay) {
  size_t checked = 0;
  for (const auto& [name, guide] : pages_of(kSource / "docs/guide")) {
    for (const BareFlag& bare : bare_flags_in(guide)) {
      for (const auto& [page, text] : pages_of(kSource / "docs/options")) {
        const size_t row = text.find("| `" + bare.flag + "` ");
        if (row == std::string::npos)
          continue;
        ++checked;
        EXPECT_THAT(text.substr(row, text.find('\n', row) - row),
                    testing::HasSubstr("Without a value: " + bare.value + "."))
            << name << " and " << page;
      }
    }
  }
  EXPECT_GT(checked, 0u);
}

std::set<std::string> matches_in(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at)
    found.insert((*at)[1]);
  return found;
}

TEST(TheQuickstart, BuildsTheCommandsAndComponentsOfItsScript) {
  const std::string script = content_of(kSource / "examples/quickstart/run.sh");
  const std::string target = content_of(kSource / "examples/quickstart/CMakeLists.txt");
  const auto built = matches_in(target, "([a-z_]+)");
  for (const std::string& command : matches_in(script, "phraseq ([a-z]+) "))
    EXPECT_TRUE(built.contains(command)) << "phraseq " << command;
  for (const std::string& component :
       matches_in(script, "--(?:lr-scheduler|criterion|optimizer|decoder) ([a-z_]+)"))
    EXPECT_TRUE(built.contains(component)) << component;
}

TEST(TheIndexOfDocs, NamesEveryPage) {
  std::vector<std::string> linked = links_in(content_of(kSource / "docs/README.md"));
  for (const char* folder : {"guide", "handbook", "formats", "parameters", "papers"}) {
    for (const auto& [name, text] : pages_of(kSource / "docs" / folder)) {
      EXPECT_THAT(linked, testing::Contains(std::string(folder) + "/" + name));
    }
  }
  EXPECT_THAT(linked, testing::Contains("options/README.md"));
}

}  // namespace
}  // namespace phraseq

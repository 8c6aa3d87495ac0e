// The pages under docs/ against the tree and the built programs.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = PHRASEQ_SOURCE_FOLDER;

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// File name → content of a flat folder's Markdown pages.
std::map<std::string, std::string> pages_of(const fs::path& folder) {
  std::map<std::string, std::string> pages;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".md")
      pages[entry.path().filename().string()] = content_of(entry.path());
  }
  return pages;
}

/// A folder of this test's own, removed with it.
struct TemporaryFolder {
  TemporaryFolder()
      : path(fs::temp_directory_path() / ("phraseq-docs-" + std::to_string(getpid()))) {
    fs::create_directories(path);
  }
  ~TemporaryFolder() { fs::remove_all(path); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  fs::path path;
};

TEST(OptionPages, MatchTheHelpOfCommandsAndComponents) {
  const TemporaryFolder folder;
  const std::string command = "env -u PHRASEQ_PLUGIN_PATH " PHRASEQ_BUILD_FOLDER
                              "/bin/phraseq-plugins options --output " +
                              folder.path.string();
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto fresh = pages_of(folder.path);
  const auto committed = pages_of(kSource / "docs/options");
  EXPECT_GT(fresh.size(), 30u);
  for (const auto& [name, text] : fresh) {
    ASSERT_TRUE(committed.contains(name)) << name << " is missing: run scripts/update_docs.sh";
    EXPECT_EQ(committed.at(name), text) << name << " is out of date: run scripts/update_docs.sh";
  }
  for (const auto& [name, text] : committed) {
    EXPECT_TRUE(fresh.contains(name)) << name << " is about nothing: run scripts/update_docs.sh";
  }
}

/// Every hand-written and generated page of the source tree.
std::vector<fs::path> all_pages() {
  std::vector<fs::path> pages = {
      kSource / "README.md", kSource / "CONTRIBUTING.md", kSource / "CHANGELOG.md"};
  for (const char* folder : {"docs", "examples", "plugins", "tasks", "criterions"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / folder)) {
      if (entry.path().extension() == ".md")
        pages.push_back(entry.path());
    }
  }
  return pages;
}

/// Targets of `[text](target)` within this tree: no addresses, no places within the page.
std::vector<std::string> links_in(const std::string& text) {
  std::vector<std::string> links;
  for (size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 2)) {
    const size_t end = text.find_first_of(")\n", at);
    if (end == std::string::npos || text[end] == '\n')
      continue;
    std::string target = text.substr(at + 2, end - at - 2);
    target.resize(std::min(target.find('#'), target.size()));
    if (!target.empty() && target.find("://") == std::string::npos)
      links.push_back(target);
  }
  return links;
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

struct BareFlag {
  std::string flag, value;
};

/// "`--flag` is `--flag value`", "`--flag` alone means `--flag value`" in a page.
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

// Compares the table of layers in CONTRIBUTING.md with every #include in core/.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

const fs::path kSourceTree = PHRASEQ_SOURCE_FOLDER;

/// Folder → position in the table, the lowest layer first. Reads rows such as "| `base` | errors …
/// |".
std::map<std::string, int> layers_of_the_table(std::istream& page) {
  static const std::regex row("^\\| `([a-z_]+)` \\|.*");
  std::map<std::string, int> layers;
  std::string line;
  std::smatch match;
  while (std::getline(page, line) && line != "## The layers") {
  }
  while (std::getline(page, line) && !line.starts_with("#")) {
    if (std::regex_match(line, match, row))
      layers.emplace(match[1], static_cast<int>(layers.size()));
  }
  return layers;
}

std::map<std::string, int> layers() {
  std::ifstream page(kSourceTree / "CONTRIBUTING.md");
  return layers_of_the_table(page);
}

/// The layer a path such as "core/nn/linear_map.h" belongs to; nothing outside the layers.
std::optional<std::string> layer_of(const std::string& path) {
  static const std::regex below_core("core/([a-z_]+)/.*");
  std::smatch match;
  if (!std::regex_match(path, match, below_core))
    return std::nullopt;
  return match[1];
}

/// Every file that a source or header includes with quotation marks.
std::vector<std::string> includes_of(const fs::path& file) {
  static const std::regex include("^\\s*#\\s*include\\s*\"([^\"]+)\".*");
  std::vector<std::string> found;
  std::ifstream stream(file);
  std::smatch match;
  for (std::string line; std::getline(stream, line);) {
    if (std::regex_match(line, match, include))
      found.push_back(match[1]);
  }
  return found;
}

/// The error in an include, such as "core/a/x.cpp includes core/b/y.h, a higher layer"; empty if
/// there is none.
std::string complaint(const std::map<std::string, int>& layers,
                      const std::string& file,
                      const std::string& included) {
  const auto from = layer_of(file);
  const auto to = layer_of(included);
  if (!from)
    return {};
  const bool is_generated = included.starts_with("phraseq/");
  if (!to)
    return included.starts_with("core/") || is_generated
               ? ""
               : file + " includes " + included + ", outside of core/";
  if (!layers.contains(*to))
    return file + " includes " + included + ", a folder that CONTRIBUTING.md does not list";
  return layers.at(*to) > layers.at(*from) ? file + " includes " + included + ", a higher layer"
                                           : "";
}

bool is_source(const fs::path& file) {
  return file.extension() == ".cpp" || file.extension() == ".h";
}

TEST(Layers, AreAllTheFoldersOfCore) {
  std::vector<std::string> unlisted;
  const auto table = layers();
  for (const auto& entry : fs::directory_iterator(kSourceTree / "core")) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && !table.contains(name))
      unlisted.push_back(name);
  }
  EXPECT_THAT(unlisted, IsEmpty()) << "add them to the table of layers in CONTRIBUTING.md";
}

TEST(Layers, IncludeOnlyLowerLayers) {
  std::vector<std::string> complaints;
  const auto table = layers();
  ASSERT_GT(table.size(), 15u);
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kSourceTree / "core")) {
    if (!entry.is_regular_file() || !is_source(entry.path()))
      continue;
    ++files;
    const std::string file = fs::relative(entry.path(), kSourceTree).string();
    for (const std::string& included : includes_of(entry.path())) {
      const std::string wrong = complaint(table, file, included);
      if (!wrong.empty())
        complaints.push_back(wrong);
    }
  }
  EXPECT_GT(files, 300u);
  EXPECT_THAT(complaints, IsEmpty());
}

TEST(Layers, ComplainAboutAHigherAnUnknownAndAnOutsideInclude) {
  const std::map<std::string, int> table = {{"base", 0}, {"nn", 1}};
  EXPECT_EQ(complaint(table, "core/nn/a.cpp", "core/base/b.h"), "");
  EXPECT_EQ(complaint(table, "core/nn/a.cpp", "core/nn/b.h"), "");
  EXPECT_NE(complaint(table, "core/base/a.h", "core/nn/b.h"), "");
  EXPECT_NE(complaint(table, "core/base/a.h", "core/other/b.h"), "");
  EXPECT_NE(complaint(table, "core/nn/a.h", "plugins/x/b.h"), "");
}

TEST(Layers, HoldAtMostAboutTwentyFiveFilesPerFolder) {
  std::map<std::string, int> counts;
  for (const char* top : {"core", "plugins", "tasks", "criterions", "cli"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSourceTree / top)) {
      if (entry.is_regular_file() && is_source(entry.path()))
        ++counts[entry.path().parent_path().string()];
    }
  }
  for (const auto& [folder, count] : counts) EXPECT_LE(count, 25) << folder;
}

/// Sources without a header of the same name, and the reasons.
const std::map<std::string, std::string> kWithoutHeader = {
    {"core/nn/kernels/", "compiled once per level of the processor, behind the table in kernels.h"},
    {"register.cpp", "registers the component of a plugin; nothing calls it"},
};

bool needs_header(const std::string& source) {
  return std::none_of(kWithoutHeader.begin(), kWithoutHeader.end(), [&](const auto& entry) {
    const auto& [exempt, reason] = entry;
    return exempt.ends_with('/') ? source.starts_with(exempt) : source.ends_with("/" + exempt);
  });
}

TEST(Layers, GiveEverySourceAHeaderOfItsName) {
  std::vector<std::string> without;
  for (const char* top : {"core", "plugins", "tasks", "criterions"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSourceTree / top)) {
      const std::string source = fs::relative(entry.path(), kSourceTree).string();
      if (entry.path().extension() == ".cpp" && needs_header(source) &&
          !fs::exists(fs::path(entry.path()).replace_extension(".h")))
        without.push_back(source);
    }
  }
  EXPECT_THAT(without, IsEmpty()) << "split the header that declares their contents";
}

TEST(Layers, ExemptOnlySourcesThatExist) {
  for (const auto& [exempt, reason] : kWithoutHeader) {
    if (exempt.ends_with('/')) {
      EXPECT_TRUE(fs::exists(kSourceTree / exempt)) << exempt;
    }
  }
  EXPECT_FALSE(needs_header("plugins/optimizers/adam/register.cpp"));
  EXPECT_FALSE(needs_header("core/nn/kernels/softmax.cpp"));
  EXPECT_TRUE(needs_header("core/plot/unregister.cpp"));
  EXPECT_TRUE(needs_header("core/nn/linear_map.cpp"));
}

TEST(Layers, KeepPluginsApartFromOneAnother) {
  std::vector<std::string> complaints;
  for (const char* top : {"plugins", "tasks", "criterions"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSourceTree / top)) {
      if (!entry.is_regular_file() || !is_source(entry.path()))
        continue;
      const std::string own = fs::relative(entry.path().parent_path(), kSourceTree).string() + "/";
      for (const std::string& included : includes_of(entry.path())) {
        if (!included.starts_with("core/") && included.find('/') != std::string::npos &&
            !included.starts_with(own))
          complaints.push_back(own + entry.path().filename().string() + " includes " + included);
      }
    }
  }
  EXPECT_THAT(complaints, IsEmpty());
}

}  // namespace
}  // namespace phraseq

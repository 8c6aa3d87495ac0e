#include "core/corpus/index_names.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/io/folders/folder_entries.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

/// A name of four parts, the second of them a pair that holds the third; else empty.
IndexName parse_index_name(const fs::path& file) {
  if (file.extension() != ".idx")
    return {};
  const fs::path side = file.stem();
  const fs::path pair = side.stem();
  const std::string language = fs::path(side).extension().string();
  const std::string languages = fs::path(pair).extension().string();
  if (language.size() < 2 || languages.size() < 4)
    return {};
  IndexName name{pair.stem().string(), {}, {}, language.substr(1)};
  const std::string both = languages.substr(1);
  if (both.starts_with(name.language + "-")) {
    name.source = name.language;
    name.target = both.substr(name.language.size() + 1);
  } else if (both.ends_with("-" + name.language)) {
    name.source = both.substr(0, both.size() - name.language.size() - 1);
    name.target = name.language;
  }
  return name.source.empty() ? IndexName{} : name;
}

}  // namespace

std::string dictionary_path(const std::string& folder, const std::string& language) {
  return language.empty() ? folder + "/dict.txt" : fmt::format("{}/dict.{}.txt", folder, language);
}

std::vector<IndexName> index_names(const std::string& folder) {
  std::error_code problem;
  std::vector<IndexName> names;
  for (const auto& entry : entries_of(folder, problem)) {
    IndexName name = parse_index_name(entry.path().filename());
    if (!name.split.empty())
      names.push_back(std::move(name));
  }
  if (problem)
    throw IoError(folder, "open the data folder", problem.value());
  return names;
}

std::set<std::string> indexed_pairs(const std::string& folder) {
  std::set<std::string> pairs;
  for (const IndexName& name : index_names(folder)) pairs.insert(name.source + "-" + name.target);
  return pairs;
}

}  // namespace phraseq

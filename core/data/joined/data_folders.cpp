#include "core/data/joined/data_folders.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/path_list.h"
#include "core/base/text_fields.h"
#include "core/corpus/data_folder.h"

namespace phraseq {

std::vector<std::string> data_folders(const std::string& data) {
  std::vector<std::string> folders = listed_paths(data);
  if (folders.size() > 1 && std::ranges::find(folders, "") != folders.end()) {
    throw UsageError(
        fmt::format("DATA is '{}': the name of a folder between colons is missing", data),
        "Give folders as A:B:C: each epoch uses one of them.");
  }
  return folders;
}

void require_same_dictionary(const DataFolder& further,
                             const std::string& language,
                             const Dictionary& expected,
                             const std::string& first) {
  const std::filesystem::path file = dictionary_path(further.path(), language);
  if (!std::filesystem::exists(file))
    return;
  const Dictionary found = further.dictionary(language);
  if (found == expected)
    return;
  throw DataError(fmt::format("{}: {} is not that of {}: {}",
                              further.path(),
                              file.filename().string(),
                              first,
                              dictionary_difference(found, expected)),
                  kPreprocessAlike);
}

std::vector<std::string> listed_splits(const std::string& option, const std::string& subset) {
  std::vector<std::string> splits;
  for (const std::string_view name : split_text(subset, ",")) {
    if (name.empty() || std::find(splits.begin(), splits.end(), name) != splits.end()) {
      throw UsageError(fmt::format(
          "--{} is '{}': expected names of splits, separated by commas, each given once",
          option,
          subset));
    }
    splits.emplace_back(name);
  }
  return splits;
}

std::string dictionary_difference(const Dictionary& found, const Dictionary& expected) {
  std::string text;
  if (found.size() != expected.size())
    text = fmt::format("{} symbols, expected {}; ", found.size(), expected.size());
  const int64_t common = std::min(found.size(), expected.size());
  int64_t id = 0;
  while (id < common && found.symbol(id) == expected.symbol(id)) ++id;
  const auto symbol = [&](const Dictionary& dictionary) {
    return id < dictionary.size() ? fmt::format("'{}'", dictionary.symbol(id)) : "none";
  };
  return text +
         fmt::format(
             "the first difference is id {}: {}, expected {}", id, symbol(found), symbol(expected));
}

}  // namespace phraseq

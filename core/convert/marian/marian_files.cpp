#include "core/convert/marian/marian_files.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/io/folders/folder_entries.h"
#include "core/io/json_reader.h"
#include "core/io/mapping/mapped_file.h"
#include "core/io/yaml/yaml_reader.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

/// The list `name` in a decoder's configuration; empty when the file or the list is absent. A path
/// that does not exist as it stands is sought next to the file.
std::vector<std::string> listed_files(const fs::path& config, const char* name) {
  if (!fs::is_regular_file(config))
    return {};
  const auto document = parse_yaml(read_file(config.string()), config.string());
  const JsonEntry entry(document, config.string());
  if (!entry.value().is_object() || !entry.has(name))
    return {};
  std::vector<std::string> files;
  for (const std::string& listed : entry.at(name).texts()) {
    const fs::path relative = config.parent_path() / listed;
    const fs::path beside = config.parent_path() / fs::path(listed).filename();
    files.push_back((fs::exists(relative) ? relative : beside).string());
  }
  return files;
}

std::vector<std::string> npz_files(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : entries_of(folder)) {
    if (entry.path().extension() == ".npz" && !entry.path().string().ends_with(".optimizer.npz"))
      files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

std::string find_model(const fs::path& folder) {
  auto models = listed_files(folder / "decoder.yml", "models");
  if (models.size() != 1)
    models = npz_files(folder);
  if (models.size() == 1)
    return models.front();
  throw UsageError(fmt::format("{}: {} files could be the model", folder.string(), models.size()),
                   "Give the .npz file.");
}

}  // namespace

ForeignModel find_marian_files(ForeignModel files) {
  if (fs::is_directory(files.weights))
    files.weights = find_model(files.weights);
  const fs::path beside = fs::path(files.weights).parent_path() / "decoder.yml";
  for (const fs::path& config : {fs::path(files.weights + ".decoder.yml"), beside}) {
    if (files.vocabs.empty())
      files.vocabs = listed_files(config, "vocabs");
  }
  if (files.vocabs.size() == 1)
    files.vocabs.push_back(files.vocabs.front());
  if (files.vocabs.size() == 2)
    return files;
  throw UsageError(
      fmt::format("{}: {} vocabularies, expected two", files.weights, files.vocabs.size()),
      "Give --vocabs SOURCE TARGET.");
}

}  // namespace phraseq

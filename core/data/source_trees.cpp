#include "core/data/source_trees.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/io/folders/folder_entries.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

/// "train.en", "train.en.gz", "train.en-de.en.bin" … of a folder, for the split "train".
std::vector<std::string> files_of_split(const std::string& folder, const std::string& split) {
  std::vector<std::string> names;
  std::error_code problem;
  for (const auto& entry : entries_of(folder, problem)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with(split + "."))
      names.push_back(std::move(name));
  }
  return names;
}

/// Raw and indexed trees alike are the text's name and ".trees".
bool lacks_trees(const std::string& folder, const std::string& split, const std::string& language) {
  const auto names = files_of_split(folder, split);
  const std::string trees = fmt::format(".{}.trees", language);
  return !names.empty() && std::ranges::none_of(names, [&](const std::string& name) {
    return name.find(trees) != std::string::npos;
  });
}

/// True if the task's data loader is one that uses these file names.
bool has_known_loader(Options& task) {
  constexpr std::array<std::string_view, 3> kLoaders = {"auto", "indexed", "text"};
  OptionTable table;
  task.describe(table);
  const OptionField* loader = table.find("data-loader");
  return loader != nullptr && std::ranges::count(kLoaders, loader->to_text()) > 0;
}

}  // namespace

TreeUse::~TreeUse() = default;

const TreeUse* tree_use_of(const Options& architecture) {
  const auto* use = dynamic_cast<const TreeUse*>(&architecture);
  return use != nullptr && use->needs_trees() ? use : nullptr;
}

bool has_files_of_split(const std::string& folder, const std::string& split) {
  std::error_code problem;
  return fs::is_regular_file(folder + "/" + split, problem) ||  // text of a language without a name
         !files_of_split(folder, split).empty();
}

void require_source_trees(const Options& architecture,
                          Options& task,
                          const SourceSplits& sources,
                          bool trained) {
  const TreeUse* use = tree_use_of(architecture);
  if (use == nullptr || !has_known_loader(task))
    return;
  for (const std::string& split : sources.splits) {
    if (!lacks_trees(sources.folder, split, sources.language))
      continue;
    throw DataError(fmt::format("{}: no parse trees of the {} sentences of '{}', which {}{} needs",
                                sources.folder,
                                sources.language,
                                split,
                                trained ? "the model's " : "",
                                use->asked_by()),
                    fmt::format("phraseq preprocess --trees puts them into the folder (raw text "
                                "has them in {}.{}.trees); {} does not need them.",
                                split,
                                sources.language,
                                option_without_trees(*use, trained)));
  }
}

std::string option_without_trees(const TreeUse& use, bool trained) {
  const std::string setting = use.setting_without();
  if (trained)
    return "--model-overrides " + setting;
  const size_t equals = setting.find('=');
  return fmt::format("--{} {}", setting.substr(0, equals), setting.substr(equals + 1));
}

}  // namespace phraseq

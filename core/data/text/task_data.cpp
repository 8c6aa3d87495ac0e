#include "core/data/text/task_data.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/data/joined/data_folders.h"
#include "core/io/folders/folder_entries.h"
#include "core/plugin/select_recorded.h"

namespace phraseq {
namespace {

bool holds_indexed_data(const std::string& folder) {
  std::error_code ignored;
  return std::ranges::any_of(entries_of(folder, ignored),
                             [](const auto& entry) { return entry.path().extension() == ".idx"; });
}

}  // namespace

std::vector<std::string> task_folders(const TaskSetup& setup,
                                      std::string_view task,
                                      bool has_phrase_memory) {
  if (!has_phrase_memory && !setup.phrase_table.empty())
    throw UsageError("--phrase-table: the task of the model has no phrase memory");
  if (setup.state == nullptr && setup.data.empty())
    throw UsageError(
        fmt::format("task {}: neither a data folder nor a checkpoint was given", task));
  std::vector<std::string> folders = data_folders(setup.data);
  if (setup.state != nullptr)
    folders.resize(1);
  return folders;
}

std::string loader_for(const TaskSetup& setup, const std::string& chosen, bool samples) {
  const bool of_training = setup.state != nullptr && (chosen == "indexed" || chosen == "text");
  if (chosen != "auto" && !of_training) {
    if (setup.state != nullptr)
      select_recorded(*setup.registry, DataLoader::kKind, chosen, setup.state->place);
    return chosen;
  }
  const bool needs_text = samples && setup.state == nullptr;
  return holds_indexed_data(data_folders(setup.data).front()) && !needs_text ? "indexed" : "text";
}

void require_data_folder(bool has_folder, const std::string& split) {
  if (!has_folder)
    throw UsageError(
        fmt::format("the split '{}' was requested, but no data folder was given", split));
}

}  // namespace phraseq

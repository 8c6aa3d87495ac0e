#include "tasks/translation_with_phrase_memory/memory_choice.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/corpus/data_folder.h"
#include "core/data/joined/data_folders.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

constexpr const char* kSettings = "phrase_memory";
constexpr const char* kTable = "phrase_table";

/// A text such as "pn_slots is 5 there" for each option that was set to a value different from the
/// folder's.
std::vector<std::string> contradictions(const PhraseMemoryTaskOptions& options,
                                        const StoredMemory& folder) {
  const auto record = folder.record();
  const auto unset = StoredMemory().record();
  const auto given = StoredMemory{"", options.memory, options.pn_lowercase, false}.record();
  std::vector<std::string> found;
  for (const auto& [name, value] : given.items()) {
    if (value != unset.at(name) && value != record.at(name))
      found.push_back(fmt::format("{} is {} there", name, record.at(name).dump()));
  }
  const std::string& file = options.memory.phrase_table;
  if (!file.empty() &&
      PhraseTable::read(file, folder.lowercase, folder.keeps_case).text() != folder.table)
    found.push_back(file + " is not its table");
  return found;
}

StoredMemory memory_of_folder(const PhraseMemoryTaskOptions& options, const std::string& path) {
  const DataFolder folder = DataFolder::open(path, options.source_lang, options.target_lang);
  if (auto stored = folder.phrase_memory()) {
    const auto found = contradictions(options, *stored);
    if (found.empty())
      return *std::move(stored);
    throw UsageError(
        fmt::format("{}: the phrases were extracted with a different phrase memory: {}",
                    path,
                    fmt::join(found, ", ")),
        "Do not use these options, or preprocess the data with them.");
  }
  if (!options.memory.any()) {
    throw UsageError("task translation_with_phrase_memory: there is no phrase memory",
                     "Preprocess the data with --phrase-table FILE (or --pn-rules LANGUAGES); for "
                     "raw text use these options here.");
  }
  const bool is_lower = folder.tokenizer_options().value("lowercase", false);
  return StoredMemory::read(options.memory, options.pn_lowercase || is_lower, !is_lower);
}

/// The phrase memory of the first folder. Throws DataError if the memory of another folder differs.
StoredMemory memory_of_folders(const PhraseMemoryTaskOptions& options, const std::string& data) {
  const auto folders = data_folders(data);
  StoredMemory memory = memory_of_folder(options, folders.front());
  for (const std::string& folder : folders) {
    if (memory_of_folder(options, folder).fingerprint() != memory.fingerprint()) {
      throw DataError(
          fmt::format("{}: the phrase memory is not that of {}", folder, folders.front()),
          "Preprocess all folders with the same phrase table and options.");
    }
  }
  return memory;
}

}  // namespace

void add_memory(TaskState& state, const StoredMemory& memory) {
  state.texts[kSettings] = memory.record().dump();
  if (!memory.table.empty())
    state.blobs[kTable] = memory.table;
}

StoredMemory memory_of(const TaskState& state) {
  return StoredMemory::from_record(parse_json(state.text(kSettings), state.place_of(kSettings)),
                                   state.blob(kTable),
                                   state.place);
}

StoredMemory choose_memory(const PhraseMemoryTaskOptions& options, const TaskSetup& setup) {
  if (setup.state == nullptr)
    return setup.data.empty() ? StoredMemory() : memory_of_folders(options, setup.data);
  StoredMemory memory = memory_of(*setup.state);
  return setup.phrase_table.empty() ? memory : memory.with_table(setup.phrase_table);
}

}  // namespace phraseq

#include "core/phrase_memory/stored_memory.h"

#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/io/crc32c.h"
#include "core/io/json_reader.h"
#include "core/io/mapping/mapped_file.h"
#include "core/options/option_text.h"

namespace phraseq {
namespace {

constexpr const char* kLowercase = "lowercase";
constexpr const char* kKeepsCase = "keeps_case";
constexpr const char* kTableFile = "phrase_table.txt";

uint32_t sum_of(const std::string& text, uint32_t seed = 0) {
  return crc32c(std::as_bytes(std::span(text)), seed);
}

std::string table_text(const std::string& path, bool lowercase, bool keeps_case) {
  return path.empty() ? std::string() : PhraseTable::read(path, lowercase, keeps_case).text();
}

}  // namespace

StoredMemory StoredMemory::read(const PhraseMemoryOptions& options,
                                bool lowercase,
                                bool keeps_case) {
  StoredMemory memory{table_text(options.phrase_table, lowercase, keeps_case),
                      options,
                      lowercase,
                      lowercase && keeps_case};
  memory.settings.phrase_table.clear();
  return memory;
}

StoredMemory StoredMemory::with_table(const std::string& path) const {
  return {table_text(path, lowercase, keeps_case), settings, lowercase, keeps_case};
}

PhraseMemory StoredMemory::open() const {
  return {PhraseTable::parse(table, "the stored phrase table", lowercase, keeps_case),
          settings.selection(),
          lowercase,
          settings.pn_rules,
          keeps_case};
}

nlohmann::json StoredMemory::record() const {
  PhraseMemoryOptions copy = settings;
  OptionTable options;
  copy.describe_selection(options);
  nlohmann::json record = to_json(options);
  record[kLowercase] = lowercase;
  if (keeps_case)
    record[kKeepsCase] = true;
  return record;
}

StoredMemory StoredMemory::from_record(const nlohmann::json& record,
                                       std::string table,
                                       const std::string& where) {
  const JsonEntry entry(record, where + ": the description of the phrase memory");
  StoredMemory memory;
  memory.table = std::move(table);
  memory.lowercase = entry.at(kLowercase).truth();
  memory.keeps_case = entry.has(kKeepsCase) && entry.at(kKeepsCase).truth();
  nlohmann::json selection = record;
  selection.erase(kLowercase);
  selection.erase(kKeepsCase);
  OptionTable options;
  memory.settings.describe_selection(options);
  from_json(options, selection, OptionOrigin::kCheckpoint);
  return memory;
}

uint32_t StoredMemory::fingerprint() const { return sum_of(table, sum_of(record().dump())); }

nlohmann::json StoredMemory::save(const std::string& folder) const {
  nlohmann::json entry = {{"settings", record()}};
  if (table.empty())
    return entry;
  write_file(folder + "/" + kTableFile, table);
  entry["table"] = kTableFile;
  entry["table_crc32c"] = crc32c_text(sum_of(table));
  return entry;
}

StoredMemory StoredMemory::load(const std::string& folder, const nlohmann::json& entry) {
  std::string text;
  if (entry.contains("table")) {
    const std::string file = fmt::format("{}/{}", folder, entry["table"].get<std::string>());
    text = read_file(file);
    if (entry.value("table_crc32c", "") != crc32c_text(sum_of(text))) {
      throw FormatError(fmt::format("{}: not the table that was used to extract the phrases", file),
                        "The file was replaced after preprocessing; run phraseq preprocess again.");
    }
  }
  return from_record(entry.value("settings", nlohmann::json()), std::move(text), folder);
}

}  // namespace phraseq

#include "core/corpus/manifest/data_manifest.h"

#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/io/json_reader.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

void check_text(const JsonEntry& object, const char* name) {
  if (object.has(name))
    object.at(name).text();
}

void check_number(const JsonEntry& object, const char* name) {
  if (object.has(name))
    object.at(name).whole_number(0, kNoLimit);
}

/// The name of a file in the folder itself; another place would let a manifest choose any file.
void check_file_name(const JsonEntry& entry) {
  const std::string name = entry.text();
  if (name.empty() || name.find('/') != std::string::npos || name == "..")
    entry.refuse("the name of a file in the folder");
}

void check_tokenizer(const JsonEntry& tokenizer) {
  check_text(tokenizer, "name");
  if (tokenizer.has("options"))
    tokenizer.at("options").object();
  if (!tokenizer.has("models"))
    return;
  for (const auto& [language, file] : tokenizer.at("models").members()) check_file_name(file);
}

void check_dictionary(const JsonEntry& dictionary) {
  check_number(dictionary, "symbols");
  check_text(dictionary, "crc32c");
}

void check_side(const JsonEntry& side) {
  for (const char* sum : {"index_crc32c", "ids_crc32c", "entries_crc32c"}) check_text(side, sum);
  for (const char* part : {"trees", "phrases"}) {
    if (side.has(part))
      check_side(side.at(part));
  }
}

void check_split(const JsonEntry& split) {
  for (const auto& [name, entry] : split.members()) {
    if (name == "sentences" || name == "skipped")
      entry.whole_number(0, kNoLimit);
    else
      check_side(entry);
  }
}

void check_phrase_memory(const JsonEntry& memory) {
  if (memory.has("settings"))
    memory.at("settings").object();
  if (memory.has("table"))
    check_file_name(memory.at("table"));
  check_text(memory, "table_crc32c");
}

void check_entries(const JsonEntry& manifest) {
  check_text(manifest, "source_language");
  check_text(manifest, "target_language");
  if (manifest.has("tokenizer"))
    check_tokenizer(manifest.at("tokenizer"));
  if (manifest.has("dictionaries")) {
    for (const auto& [name, entry] : manifest.at("dictionaries").members()) check_dictionary(entry);
  }
  if (manifest.has("splits")) {
    for (const auto& [name, entry] : manifest.at("splits").members()) check_split(entry);
  }
  if (manifest.has("phrase_memory"))
    check_phrase_memory(manifest.at("phrase_memory"));
}

}  // namespace

nlohmann::json read_data_manifest(const std::string& folder, const std::string& file) {
  nlohmann::json document = parse_json(read_file(file), file);
  const JsonEntry manifest(document, file);
  const int64_t version = manifest.at("version").whole_number();
  if (version < 1 || version > kDataManifestVersion) {
    throw FormatError(fmt::format(
        "{}: version {}, this program reads up to {}", file, version, kDataManifestVersion));
  }
  if (!manifest.has("complete") || !manifest.at("complete").truth()) {
    throw FormatError(fmt::format("{}: phraseq preprocess did not finish this folder", folder),
                      "Run it again, with --overwrite.");
  }
  check_entries(manifest);
  return document;
}

void mark_unfinished_folder(const std::string& folder) {
  const nlohmann::json unfinished = {{"version", kDataManifestVersion}, {"complete", false}};
  write_file(folder + "/" + kDataManifest, unfinished.dump() + "\n");
}

void mark_mixed_folder(const std::string& destination) {
  if (std::filesystem::exists(destination) && !std::filesystem::is_empty(destination))
    mark_unfinished_folder(destination);
}

}  // namespace phraseq

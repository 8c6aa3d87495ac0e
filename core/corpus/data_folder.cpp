#include "core/corpus/data_folder.h"

#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/corpus/manifest/data_manifest.h"
#include "core/corpus/manifest/manifest_values.h"

namespace phraseq {

namespace fs = std::filesystem;

void check_data_folder(const std::string& path) {
  std::error_code problem;
  if (fs::is_directory(path, problem))
    return;
  const bool exists = fs::exists(path, problem);
  throw IoError(path,
                "open the data folder",
                exists ? ENOTDIR : ENOENT,
                "Run phraseq preprocess to make one.");
}

DataFolder DataFolder::open(const std::string& path,
                            const std::string& source,
                            const std::string& target) {
  DataFolder folder = of_path(path);
  folder.languages_ = find_languages(path, folder.manifest_, {source, target}, target);
  return folder;
}

DataFolder DataFolder::open_monolingual(const std::string& path, const std::string& language) {
  DataFolder folder = of_path(path);
  if (is_nameless(path, language))
    return folder;
  folder.languages_ = find_languages(path, folder.manifest_, {language, {}}, kNoTargetLanguage);
  if (!language.empty() || folder.target() == kNoTargetLanguage)
    return folder;
  throw UsageError(
      fmt::format("{}: text of two languages, {} and {}", path, folder.source(), folder.target()),
      "Give the language of the model with --source-lang.");
}

void DataFolder::require_pair() const {
  if (languages_.pair_target == kNoTargetLanguage || has_one_side(path_, languages_))
    reject_one_language(path_);
}

DataFolder DataFolder::of_path(const std::string& path) {
  DataFolder folder;
  folder.path_ = path;
  check_data_folder(path);
  folder.read_manifest();
  return folder;
}

void DataFolder::read_manifest() {
  const std::string file = path_ + "/" + kDataManifest;
  if (!fs::exists(file))
    return;
  manifest_ = read_data_manifest(path_, file);
}

Dictionary DataFolder::dictionary(const std::string& language) const {
  const std::string file = dictionary_path(path_, language);
  Dictionary dictionary = Dictionary::load(file);
  check_sum(
      file, dictionary.fingerprint(), value_at(manifest_, {"dictionaries", language, "crc32c"}));
  return dictionary;
}

bool DataFolder::lists_split(const std::string& split) const {
  return manifest_.is_null() || !value_at(manifest_, {"splits", split}).is_null();
}

bool DataFolder::has_split(const std::string& split) const {
  return lists_split(split) && IndexedDataset::exists(prefix(split, source())) &&
         IndexedDataset::exists(prefix(split, target()));
}

std::vector<std::string> DataFolder::splits() const {
  std::set<std::string> found;
  for (const IndexName& name : index_names(path_)) {
    if (has_split(name.split))
      found.insert(name.split);
  }
  return {found.begin(), found.end()};
}

std::string DataFolder::prefix(const std::string& split, const std::string& language) const {
  return indexed_prefix(path_, split, languages_.pair_source, languages_.pair_target, language);
}

IndexedDataset DataFolder::checked(const std::string& prefix, const nlohmann::json& record) const {
  IndexedDataset data = IndexedDataset::open(prefix);
  check_sums(data, record);
  return data;
}

IndexedDataset DataFolder::dataset(const std::string& split, const std::string& language) const {
  const std::string prefix = this->prefix(split, language);
  if (!IndexedDataset::exists(prefix)) {
    const bool is_recorded = !value_at(manifest_, {"splits", split}).is_null();
    if (!is_recorded && !fs::exists(prefix + ".idx") && !fs::exists(prefix + ".bin"))
      throw DataError(fmt::format("{} has no split '{}'", path_, split),
                      "Name another split, or preprocess again with this one.");
    throw FormatError(
        fmt::format("{}: the folder is not complete: no file {}.idx or no file {}.bin",
                    path_,
                    prefix,
                    prefix),
        "Run phraseq preprocess again, with --overwrite.");
  }
  return checked(prefix, value_at(manifest_, {"splits", split, language}));
}

bool DataFolder::has_trees(const std::string& split, const std::string& language) const {
  if (!manifest_.is_null())
    return !value_at(manifest_, {"splits", split, language, "trees"}).is_null();
  return IndexedDataset::exists(trees_prefix(prefix(split, language)));
}

IndexedDataset DataFolder::trees(const std::string& split, const std::string& language) const {
  return checked(trees_prefix(prefix(split, language)),
                 value_at(manifest_, {"splits", split, language, "trees"}));
}

bool DataFolder::has_alignments(const std::string& split) const {
  if (!manifest_.is_null() &&
      value_at(manifest_, {"splits", split, source(), "alignments"}).is_null())
    return false;
  return IndexedDataset::exists(alignments_prefix(path_, split, source(), target()));
}

IndexedDataset DataFolder::alignments(const std::string& split) const {
  return checked(alignments_prefix(path_, split, source(), target()),
                 value_at(manifest_, {"splits", split, source(), "alignments"}));
}

bool DataFolder::has_phrases(const std::string& split, const std::string& language) const {
  return !value_at(manifest_, {"splits", split, language, "phrases"}).is_null();
}

StoredPhrases DataFolder::phrases(const std::string& split, const std::string& language) const {
  const std::string prefix = phrases_prefix(this->prefix(split, language));
  const auto record = value_at(manifest_, {"splits", split, language, "phrases"});
  StoredPhrases phrases = StoredPhrases::open(prefix);
  check_sums(phrases.slots(), record);
  check_sum(prefix + ".txt", phrases.entries_fingerprint(), value_at(record, {"entries_crc32c"}));
  return phrases;
}

std::optional<StoredMemory> DataFolder::phrase_memory() const {
  const auto record = value_at(manifest_, {"phrase_memory"});
  if (record.is_null())
    return std::nullopt;
  return StoredMemory::load(path_, record);
}

std::string DataFolder::tokenizer() const {
  const auto name = value_at(manifest_, {"tokenizer", "name"});
  return name.is_string() ? name.get<std::string>() : "word";
}

nlohmann::json DataFolder::tokenizer_options() const {
  const auto options = value_at(manifest_, {"tokenizer", "options"});
  return options.is_object() ? options : nlohmann::json::object();
}

std::string DataFolder::tokenizer_model(const std::string& language) const {
  const auto file = value_at(manifest_, {"tokenizer", "models", language});
  return file.is_string() ? path_ + "/" + file.get<std::string>() : std::string();
}

}  // namespace phraseq

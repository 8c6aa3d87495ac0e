#include "core/corpus/data_folder.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/corpus/index_names.h"
#include "core/corpus/manifest/data_manifest.h"
#include "core/corpus/manifest/manifest_values.h"
#include "core/io/folders/folder_entries.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

using PairNames = std::set<std::pair<std::string, std::string>>;

PairNames recorded_pairs(const nlohmann::json& manifest, const std::string& path) {
  PairNames pairs;
  if (const auto language = value_at(manifest, {"source_language"}); language.is_string()) {
    pairs.emplace(language, manifest.value("target_language", ""));
  } else {
    for (const IndexName& name : index_names(path)) pairs.emplace(name.source, name.target);
  }
  return pairs;
}

/// The pairs with these languages, either of which may be empty: any.
PairNames pairs_with(PairNames pairs, const std::string& source, const std::string& target) {
  std::erase_if(pairs, [&](const auto& pair) {
    return (!source.empty() && source != pair.first) || (!target.empty() && target != pair.second);
  });
  return pairs;
}

/// The names of the pairs, for a message.
std::string listed_pairs(const PairNames& pairs) {
  if (pairs.empty())
    return "no language pair";
  std::vector<std::string> names;
  for (const auto& [source, target] : pairs) names.push_back(source + "-" + target);
  return fmt::format(
      "the language pair{} {}", names.size() == 1 ? "" : "s", fmt::join(names, ", "));
}

/// Whether there is text under fairseq's names for one language without a name: train.idx.
bool has_nameless_text(const std::string& path) {
  if (!fs::exists(dictionary_path(path, "")))
    return false;
  return std::ranges::any_of(entries_of(path), [](const fs::directory_entry& file) {
    return file.path().extension() == ".idx" && !file.path().stem().has_extension();
  });
}

/// Whether the text of a folder of one language has no name, even if `language` is requested.
bool is_nameless(const std::string& path, const std::string& language) {
  return language.empty() ? fs::exists(dictionary_path(path, ""))
                          : has_nameless_text(path) && !fs::exists(dictionary_path(path, language));
}

/// Whether only one language of the pair has text, as --only-source with --target-lang leaves it.
bool has_one_side(const std::string& path, const std::string& source, const std::string& target) {
  std::set<std::string> languages;
  for (const IndexName& name : index_names(path)) {
    if (name.source == source && name.target == target)
      languages.insert(name.language);
  }
  return languages.size() == 1;
}

/// Whether all of the folder's text is without a target; without a name, it has no pair.
bool has_one_language(const std::string& path, const PairNames& pairs) {
  if (pairs.empty())
    return fs::exists(dictionary_path(path, ""));
  return std::all_of(pairs.begin(), pairs.end(), [](const auto& pair) {
    return pair.second == kNoTargetLanguage;
  });
}

/// The languages that were requested, either of which may be empty.
struct RequestedPair {
  std::string source, target;

  bool is_complete() const { return !source.empty() && !target.empty(); }
  bool is_in(const std::set<std::string>& pairs) const {
    return pairs.contains(source + "-" + target) || pairs.contains(target + "-" + source);
  }
};

/// The requested pair has data that the manifest does not list: preprocess wrote another one later.
[[noreturn]] void reject_unlisted(const std::string& path,
                                  const RequestedPair& pair,
                                  const PairNames& listed) {
  throw UsageError(
      fmt::format("{0}: {1} lists {2}, not {3}-{4}, although there are files of {3}-{4}",
                  path,
                  kDataManifest,
                  listed_pairs(listed),
                  pair.source,
                  pair.target),
      fmt::format("Another pair was preprocessed into this folder. Run phraseq preprocess for "
                  "{1}-{2} with --destdir {0}/{1}-{2}.",
                  path,
                  pair.source,
                  pair.target));
}

const char* request_hint(const RequestedPair& requested, const PairNames& pairs) {
  if (requested.is_complete())
    return "Name the folder of the pair, or run phraseq preprocess for it.";
  return pairs.empty() ? "Name a folder that phraseq preprocess wrote. For text in a folder, give "
                         "--source-lang and --target-lang."
                       : "Give --source-lang and --target-lang.";
}

/// `fitting`: those of `pairs` that fit the request, none or several.
[[noreturn]] void reject_request(const std::string& path,
                                 const RequestedPair& requested,
                                 const PairNames& pairs,
                                 const PairNames& fitting) {
  const bool is_other = fitting.empty() && !pairs.empty();
  if (is_other && requested.is_complete() && requested.is_in(indexed_pairs(path)))
    reject_unlisted(path, requested, pairs);
  throw UsageError(fmt::format("{}: the folder contains {}{}",
                               path,
                               listed_pairs(fitting.empty() ? pairs : fitting),
                               is_other ? ", not the requested one" : ""),
                   request_hint(requested, pairs));
}

[[noreturn]] void reject_one_language(const std::string& path) {
  throw UsageError(fmt::format("{}: text of one language, without translations", path),
                   "Train a language model with --task language_modeling --arch transformer_lm, or "
                   "run phraseq preprocess on parallel text with --source-lang and --target-lang, "
                   "without --only-source.");
}

}  // namespace

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

std::string dictionary_path(const std::string& folder, const std::string& language) {
  return language.empty() ? folder + "/dict.txt" : fmt::format("{}/dict.{}.txt", folder, language);
}

DataFolder DataFolder::open(const std::string& path,
                            const std::string& source,
                            const std::string& target) {
  DataFolder folder = of_path(path);
  folder.source_ = source;
  folder.target_ = target;
  folder.find_languages(target);
  return folder;
}

DataFolder DataFolder::open_monolingual(const std::string& path, const std::string& language) {
  DataFolder folder = of_path(path);
  if (is_nameless(path, language))
    return folder;
  folder.source_ = language;
  folder.find_languages(kNoTargetLanguage);
  if (!language.empty() || folder.target_ == kNoTargetLanguage)
    return folder;
  throw UsageError(
      fmt::format("{}: text of two languages, {} and {}", path, folder.source_, folder.target_),
      "Give the language of the model with --source-lang.");
}

void DataFolder::require_pair() const {
  if (pair_target_ == kNoTargetLanguage || has_one_side(path_, pair_source_, pair_target_))
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

/// `target_of_raw_text`: where nothing is indexed yet.
void DataFolder::find_languages(const std::string& target_of_raw_text) {
  PairNames pairs = recorded_pairs(manifest_, path_);
  const bool is_raw = pairs.empty() && !has_nameless_text(path_);
  if (is_raw && !source_.empty() && !target_of_raw_text.empty())
    pairs.emplace(source_, target_of_raw_text);
  const PairNames as_named = pairs_with(pairs, source_, target_);
  const PairNames turned = pairs_with(pairs, target_, source_);
  const auto& fitting = as_named.empty() ? turned : as_named;
  if (fitting.empty() && target_of_raw_text != kNoTargetLanguage && has_one_language(path_, pairs))
    reject_one_language(path_);
  if (fitting.size() != 1)
    reject_request(path_, {source_, target_}, pairs, fitting);
  std::tie(pair_source_, pair_target_) = *fitting.begin();
  source_ = as_named.empty() ? pair_target_ : pair_source_;
  target_ = as_named.empty() ? pair_source_ : pair_target_;
}

Dictionary DataFolder::dictionary(const std::string& language) const {
  const std::string file = dictionary_path(path_, language);
  Dictionary dictionary = Dictionary::load(file);
  check_sum(
      file, dictionary.fingerprint(), value_at(manifest_, {"dictionaries", language, "crc32c"}));
  return dictionary;
}

bool DataFolder::has_split(const std::string& split) const {
  // Other files of an earlier run are not part of this folder.
  if (!manifest_.is_null() && value_at(manifest_, {"splits", split}).is_null())
    return false;
  return IndexedDataset::exists(prefix(split, source_)) &&
         IndexedDataset::exists(prefix(split, target_));
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
  return indexed_prefix(path_, split, pair_source_, pair_target_, language);
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
      value_at(manifest_, {"splits", split, source_, "alignments"}).is_null())
    return false;
  return IndexedDataset::exists(alignments_prefix(path_, split, source_, target_));
}

IndexedDataset DataFolder::alignments(const std::string& split) const {
  return checked(alignments_prefix(path_, split, source_, target_),
                 value_at(manifest_, {"splits", split, source_, "alignments"}));
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

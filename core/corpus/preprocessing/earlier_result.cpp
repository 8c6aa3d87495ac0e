#include "core/corpus/preprocessing/earlier_result.h"

#include <filesystem>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/corpus/data_folder.h"
#include "core/corpus/index_names.h"
#include "core/corpus/manifest/data_manifest.h"
#include "core/corpus/manifest/manifest_values.h"
#include "core/io/folders/folder_entries.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOtherDestination = "Give another --destdir, or --overwrite.";

std::string manifest_of(const std::string& folder) { return folder + "/" + kDataManifest; }

/// The manifest of a folder, unchecked; no object if there is none or it is damaged.
nlohmann::json manifest_in(const std::string& folder) {
  const std::string file = manifest_of(folder);
  if (!fs::exists(file))
    return nullptr;
  return nlohmann::json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
}

/// The pair that a folder's manifest lists; "-" if it is damaged or unfinished.
std::string recorded_pair(const std::string& folder) {
  const auto record = manifest_in(folder);
  const auto text = [&](const char* name) {
    const auto entry = value_at(record, {name});
    return entry.is_string() ? entry.get<std::string>() : std::string();
  };
  return text("source_language") + "-" + text("target_language");
}

/// The pairs of a folder that can be used: with a manifest, at most its own.
std::set<std::string> usable_pairs(const std::string& folder) {
  if (!fs::is_directory(folder))
    return {};
  std::set<std::string> pairs = indexed_pairs(folder);
  if (fs::exists(manifest_of(folder)))
    std::erase_if(pairs, [own = recorded_pair(folder)](const auto& pair) { return pair != own; });
  return pairs;
}

/// The name of a folder for what `options` preprocess.
std::string folder_name(const PreprocessOptions& options) {
  if (options.source_lang.empty())
    return "text";
  const bool is_pair = !options.target_lang.empty();
  return options.source_lang + (is_pair ? "-" + options.target_lang : "");
}

void reject_other_pairs(const PreprocessOptions& options, const std::string& destination) {
  const std::string& source = options.source_lang;
  const std::string target = options.target_lang.empty() ? kNoTargetLanguage : options.target_lang;
  std::set<std::string> others = usable_pairs(destination);
  others.erase(source + "-" + target);
  others.erase(target + "-" + source);
  if (others.empty())
    return;
  throw UsageError(
      fmt::format("{} contains data of {}", destination, fmt::join(others, ", ")),
      fmt::format("Each language pair needs a folder of its own: give --destdir {}/{}. --srcdict "
                  "and --tgtdict read the dictionaries of another folder.",
                  options.destdir,
                  folder_name(options)));
}

void reject_dictionaries(const PreprocessOptions& options, const std::string& destination) {
  for (const std::string& language : {options.source_lang, options.target_lang}) {
    if (language.empty() && !options.source_lang.empty())
      continue;
    const std::string dictionary = dictionary_path(destination, language);
    if (!fs::exists(dictionary))
      continue;
    throw UsageError(
        fmt::format("{} exists: {} contains the result of an earlier run", dictionary, destination),
        "Give another --destdir, or --overwrite. Each language pair has a folder of its own; "
        "--srcdict and --tgtdict read the dictionaries of another one.");
  }
}

/// Whether a run was stopped while it moved its files to the folder, or removed them.
bool is_unfinished(const nlohmann::json& manifest) {
  return value_at(manifest, {"complete"}) == false;
}

/// Whether a folder is a shard that preprocess wrote, or what is left of one.
bool is_shard(const std::string& folder) {
  const auto manifest = manifest_in(folder);
  return is_unfinished(manifest) || value_at(manifest, {"shard"}).is_object();
}

void remove_whole(const fs::path& path) {
  std::error_code problem;
  fs::remove_all(path, problem);
  if (problem)
    throw IoError(path.string(), "remove", problem.value());
}

/// Removes everything except the manifest, which marks the shard as unfinished if this run is
/// killed.
void empty_shard(const std::string& folder) {
  mark_unfinished_folder(folder);
  for (const auto& entry : entries_of(folder)) {
    if (entry.path().filename() != kDataManifest)
      remove_whole(entry.path());
  }
}

}  // namespace

void reject_earlier_result(const PreprocessOptions& options, const std::string& destination) {
  reject_other_pairs(options, destination);
  if (options.overwrite)
    return;
  reject_dictionaries(options, destination);
  if (!is_unfinished(manifest_in(destination)))
    reject_existing(manifest_of(destination), kOtherDestination);
}

void reject_replacement(const PreprocessOptions& options,
                        const StagingFolder& staging,
                        const std::string& destination) {
  if (!options.overwrite && !is_unfinished(manifest_in(destination)))
    staging.reject_replacement(kOtherDestination);
}

void remove_earlier_shard(const std::string& folder) {
  std::error_code missing;
  const fs::file_status status = fs::symlink_status(folder, missing);
  if (fs::is_directory(status) && !fs::is_empty(folder)) {
    if (!is_shard(folder)) {
      throw UsageError(folder + ": exists, and is not a shard of an earlier run",
                       "Give another --destdir, or remove this folder.");
    }
    empty_shard(folder);
  }
  if (fs::is_directory(status) || fs::is_symlink(status))
    remove_whole(folder);
}

}  // namespace phraseq

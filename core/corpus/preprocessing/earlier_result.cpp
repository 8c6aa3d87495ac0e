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
#include "core/corpus/manifest/manifest_values.h"
#include "core/io/folders/folder_entries.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

std::string manifest_of(const std::string& folder) { return folder + "/" + kDataManifest; }

nlohmann::json parse_manifest(const std::string& manifest) {
  return nlohmann::json::parse(read_file(manifest), nullptr, /*allow_exceptions=*/false);
}

/// The pair that a manifest lists; "-" if it is damaged or unfinished.
std::string recorded_pair(const std::string& manifest) {
  const auto record = parse_manifest(manifest);
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
  const std::string manifest = manifest_of(folder);
  if (fs::exists(manifest))
    std::erase_if(pairs, [own = recorded_pair(manifest)](const auto& pair) { return pair != own; });
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

/// Whether a run was stopped while it moved its files to the folder.
bool is_unfinished(const std::string& folder) {
  const std::string manifest = manifest_of(folder);
  return fs::exists(manifest) && value_at(parse_manifest(manifest), {"complete"}) == false;
}

void reject_existing(const std::string& file) {
  std::error_code missing;
  if (!fs::exists(fs::symlink_status(file, missing)))
    return;
  throw UsageError(file + " exists and would be replaced",
                   "Give another --destdir, or --overwrite.");
}

}  // namespace

void reject_earlier_result(const PreprocessOptions& options, const std::string& destination) {
  reject_other_pairs(options, destination);
  if (options.overwrite)
    return;
  reject_dictionaries(options, destination);
  if (!is_unfinished(destination))
    reject_existing(manifest_of(destination));
}

void reject_replacement(const PreprocessOptions& options,
                        const std::string& staged,
                        const std::string& destination) {
  if (options.overwrite || is_unfinished(destination))
    return;
  for (const auto& entry : entries_of(staged))
    reject_existing((fs::path(destination) / entry.path().filename()).string());
}

}  // namespace phraseq

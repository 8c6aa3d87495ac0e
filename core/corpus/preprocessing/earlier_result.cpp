#include "core/corpus/preprocessing/earlier_result.h"

#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/corpus/data_folder.h"
#include "core/corpus/index_names.h"
#include "core/corpus/manifest/manifest_values.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

/// The pair that a manifest lists; "-" if it is damaged or unfinished.
std::string recorded_pair(const std::string& manifest) {
  const auto record =
      nlohmann::json::parse(read_file(manifest), nullptr, /*allow_exceptions=*/false);
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
  const std::string manifest = folder + "/" + kDataManifest;
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

}  // namespace

void reject_earlier_result(const PreprocessOptions& options, const std::string& destination) {
  reject_other_pairs(options, destination);
  if (!options.overwrite)
    reject_dictionaries(options, destination);
}

}  // namespace phraseq

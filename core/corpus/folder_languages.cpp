#include "core/corpus/folder_languages.h"

#include <algorithm>
#include <filesystem>
#include <set>
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

/// Whether all of the folder's text is without a target; without a name, it has no pair.
bool has_one_language(const std::string& path, const PairNames& pairs) {
  if (pairs.empty())
    return fs::exists(dictionary_path(path, ""));
  return std::all_of(pairs.begin(), pairs.end(), [](const auto& pair) {
    return pair.second == kNoTargetLanguage;
  });
}

bool is_in(const RequestedPair& pair, const std::set<std::string>& pairs) {
  return pairs.contains(pair.source + "-" + pair.target) ||
         pairs.contains(pair.target + "-" + pair.source);
}

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
  if (is_other && requested.is_complete() && is_in(requested, indexed_pairs(path)))
    reject_unlisted(path, requested, pairs);
  throw UsageError(fmt::format("{}: the folder contains {}{}",
                               path,
                               listed_pairs(fitting.empty() ? pairs : fitting),
                               is_other ? ", not the requested one" : ""),
                   request_hint(requested, pairs));
}

}  // namespace

bool is_nameless(const std::string& path, const std::string& language) {
  return language.empty() ? fs::exists(dictionary_path(path, ""))
                          : has_nameless_text(path) && !fs::exists(dictionary_path(path, language));
}

bool has_one_side(const std::string& path, const FolderLanguages& languages) {
  std::set<std::string> with_text;
  for (const IndexName& name : index_names(path)) {
    if (name.source == languages.pair_source && name.target == languages.pair_target)
      with_text.insert(name.language);
  }
  return with_text.size() == 1;
}

void reject_one_language(const std::string& path) {
  throw UsageError(fmt::format("{}: text of one language, without translations", path),
                   "Train a language model with --task language_modeling --arch transformer_lm, or "
                   "run phraseq preprocess on parallel text with --source-lang and --target-lang, "
                   "without --only-source.");
}

FolderLanguages find_languages(const std::string& path,
                               const nlohmann::json& manifest,
                               const RequestedPair& requested,
                               const std::string& target_of_raw_text) {
  const auto& [source, target] = requested;
  PairNames pairs = recorded_pairs(manifest, path);
  const bool is_raw = pairs.empty() && !has_nameless_text(path);
  if (is_raw && !source.empty() && !target_of_raw_text.empty())
    pairs.emplace(source, target_of_raw_text);
  const PairNames as_named = pairs_with(pairs, source, target);
  const PairNames turned = pairs_with(pairs, target, source);
  const PairNames& fitting = as_named.empty() ? turned : as_named;
  if (fitting.empty() && target_of_raw_text != kNoTargetLanguage && has_one_language(path, pairs))
    reject_one_language(path);
  if (fitting.size() != 1)
    reject_request(path, requested, pairs, fitting);
  const auto& [first, second] = *fitting.begin();
  return as_named.empty() ? FolderLanguages{second, first, first, second}
                          : FolderLanguages{first, second, first, second};
}

}  // namespace phraseq

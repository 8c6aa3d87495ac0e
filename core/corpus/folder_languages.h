#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace phraseq {

/// The languages that were requested, either of which may be empty: any.
struct RequestedPair {
  std::string source, target;

  bool is_complete() const { return !source.empty() && !target.empty(); }
};

/// The languages of a data folder's text: in the requested direction, and as in the files' names,
/// which may be the reverse.
struct FolderLanguages {
  std::string source, target;
  std::string pair_source, pair_target;
};

/// Finds the languages of the folder at `path` by its manifest or, without one (null), by the names
/// of its files. `target_of_raw_text` is the target where nothing is indexed yet; empty: none is
/// assumed. Throws UsageError if the folder contains several pairs that fit the request, or none.
FolderLanguages find_languages(const std::string& path,
                               const nlohmann::json& manifest,
                               const RequestedPair& requested,
                               const std::string& target_of_raw_text);

/// Whether the text of a folder of one language has no name, even if `language` is requested.
bool is_nameless(const std::string& path, const std::string& language);

/// Whether only one language of the pair has text, as --only-source with --target-lang leaves it.
bool has_one_side(const std::string& path, const FolderLanguages& languages);

/// Throws UsageError: there is nothing to translate.
[[noreturn]] void reject_one_language(const std::string& path);

}  // namespace phraseq

#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// fairseq's name for the target of text of one language.
inline constexpr const char* kNoTargetLanguage = "None";

/// The dictionary of a language in a data folder: `dict.LANG.txt`, or `dict.txt` for text of one
/// language without a name, as fairseq names it.
PHRASEQ_API std::string dictionary_path(const std::string& folder, const std::string& language);

/// The parts of the name of an indexed text, "train.en-de.de.idx".
struct IndexName {
  std::string split;
  std::string source;
  std::string target;
  std::string language;
};

/// The names of all indexed texts in a folder, in no particular order. Throws IoError when the
/// folder cannot be read.
std::vector<IndexName> index_names(const std::string& folder);

/// The language pairs that a folder has indexed data of, by the names of its files: "en-de". Throws
/// IoError when the folder cannot be read.
PHRASEQ_API std::set<std::string> indexed_pairs(const std::string& folder);

}  // namespace phraseq

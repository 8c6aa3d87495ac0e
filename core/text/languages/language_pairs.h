#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// A direction of translation.
struct LanguagePair {
  std::string source;
  std::string target;

  std::string name() const { return source + "-" + target; }
  friend bool operator==(const LanguagePair&, const LanguagePair&) = default;
};

/// Whether both languages exist.
using PairTest = std::function<bool(const LanguagePair&)>;

/// Parses a value of --lang-pairs ("en-de,de-en"), or the content of the file of this name, if
/// there is one. A text with several hyphens (en-pt-BR) is the only pair among its divisions that
/// `exists`. Throws UsageError for a text that is not a pair or could be several, and for a pair
/// that is given twice.
PHRASEQ_API std::vector<LanguagePair> parse_language_pairs(const std::string& text,
                                                           const PairTest& exists = {});

/// A pair exists if its languages are `listed` (--langs) or are lines of a file (--lang-dict);
/// without these, if the pair_folder of `folder` has a dictionary or text of each.
PHRASEQ_API PairTest pair_test(const std::vector<std::string>& listed,
                               const std::string& file,
                               const std::string& folder);

/// Whether a folder has a file such as train.LANG or train.LANG.gz.
PHRASEQ_API bool has_text_of(const std::string& folder, const std::string& language);

/// The pairs as text: "en-de, de-en".
PHRASEQ_API std::string to_string(const std::vector<LanguagePair>& pairs);

/// The languages in the order of their tokens, as in fairseq: `listed` (--langs), or the lines of a
/// file (--lang-dict), or the languages of the pairs, sorted by name. Throws UsageError if a pair
/// has any other language, or if a language is listed twice.
PHRASEQ_API std::vector<std::string> known_languages(const std::vector<std::string>& listed,
                                                     const std::string& file,
                                                     const std::vector<LanguagePair>& pairs);

/// The folder with the data of a pair: `folder/en-de`, `folder/de-en`, or `folder` itself.
PHRASEQ_API std::string pair_folder(const std::string& folder, const LanguagePair& pair);

}  // namespace phraseq

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

/// Whether there are the two languages.
using PairTest = std::function<bool(const LanguagePair&)>;

/// "en-de,de-en" as --lang-pairs has it; the text of the file of this name, if there is one. A text
/// with several hyphens (en-pt-BR) is the one pair of all its divisions that `exists`. Throws
/// UsageError for what is no pair or could be several, and for a pair that is given twice.
PHRASEQ_API std::vector<LanguagePair> parse_language_pairs(const std::string& text,
                                                           const PairTest& exists = {});

/// A pair exists when its languages are `listed` (--langs), or are lines of a file (--lang-dict);
/// without these, when the pair_folder of `folder` has a dictionary or text of each.
PHRASEQ_API PairTest pair_test(const std::vector<std::string>& listed,
                               const std::string& file,
                               const std::string& folder);

/// Whether a folder has a file such as train.LANG or train.LANG.gz.
PHRASEQ_API bool has_text_of(const std::string& folder, const std::string& language);

/// "en-de, de-en".
PHRASEQ_API std::string to_string(const std::vector<LanguagePair>& pairs);

/// The languages in the order of their tokens, as fairseq has it: `listed` (--langs), or the lines
/// of a file (--lang-dict), or those of the pairs by name. Throws UsageError when a pair has
/// another language, or one is listed twice.
PHRASEQ_API std::vector<std::string> known_languages(const std::vector<std::string>& listed,
                                                     const std::string& file,
                                                     const std::vector<LanguagePair>& pairs);

/// Where `folder` has the data of a pair: in `folder/en-de`, `folder/de-en`, or itself.
PHRASEQ_API std::string pair_folder(const std::string& folder, const LanguagePair& pair);

}  // namespace phraseq

#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq::score {

struct TerTokenizerSettings {
  bool normalized = false;      ///< decode entities, set punctuation apart
  bool no_punct = false;        ///< remove punctuation
  bool asian_support = false;   ///< with the two above: their Asian part as well
  bool case_sensitive = false;  ///< lowercased otherwise
};

/// tercom's normalization as sacrebleu has it; words joined by single blanks.
///
/// Its rules for kana never apply: they demand that the line begin with kana, and normalization has
/// put a blank in front. Kana stay together here too.
PHRASEQ_API std::string tokenize_tercom(std::string_view line,
                                        const TerTokenizerSettings& settings);

}  // namespace phraseq::score

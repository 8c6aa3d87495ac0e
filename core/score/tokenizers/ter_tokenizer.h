#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq::score {

/// The settings of tercom's normalization.
struct TerTokenizerSettings {
  bool normalized = false;      ///< decode entities, separate punctuation
  bool no_punct = false;        ///< remove punctuation
  bool asian_support = false;   ///< with either of the above: also handle Asian characters
  bool case_sensitive = false;  ///< otherwise, lowercase
};

/// tercom's normalization as in sacrebleu; words are joined by single blanks.
///
/// Its rules for kana never apply: they require the line to begin with kana, but normalization has
/// already inserted a blank in front. Therefore, kana also stay together here.
PHRASEQ_API std::string tokenize_tercom(std::string_view line,
                                        const TerTokenizerSettings& settings);

}  // namespace phraseq::score

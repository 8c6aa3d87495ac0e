#pragma once

#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Whether a SentencePiece model encodes the parts of `separate_words` in the same way as the whole
/// line. This holds for BPE (in a unigram model, rounding depends on the preceding words), with a
/// normalization that SentencePiece provides, which removes superfluous blanks and puts one before
/// the line, and if no piece has a blank after its first character.
PHRASEQ_API bool has_separate_words(std::string_view model);

/// Splits a line at the blanks between two printable ASCII characters. No normalization that
/// SentencePiece provides depends on both sides of such a blank.
PHRASEQ_API std::vector<std::string_view> separate_words(std::string_view line);

}  // namespace phraseq

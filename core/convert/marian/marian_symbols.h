#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// phraseq's ids in the order of Marian's vocabulary: `</s>`, `<unk>`, and the other symbols;
/// `<pad>` at the end if it is needed. `<s>` is never included.
PHRASEQ_API std::vector<int64_t> marian_symbol_order(const Dictionary& dictionary, bool with_pad);

/// phraseq's ids in the order of a SentencePiece model's pieces; nothing if the pieces are not
/// exactly those symbols.
PHRASEQ_API std::optional<std::vector<int64_t>> piece_order(const Dictionary& dictionary,
                                                            const std::string& sentencepiece,
                                                            bool with_pad);

/// The symbols as Marian's YAML vocabulary.
PHRASEQ_API std::string marian_vocabulary_yml(const Dictionary& dictionary,
                                              const std::vector<int64_t>& order);

}  // namespace phraseq

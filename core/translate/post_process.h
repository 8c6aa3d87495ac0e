#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// Joins the subwords of a line of symbols: fairseq's --remove-bpe / --post-process.
///
/// `subword_nmt` (also `@@ `): "@@ " goes; `sentencepiece`: spaces go, U+2581 becomes a space;
/// `wordpiece`: the same with "_"; `letter`: with "|"; `_EOW`: with "_EOW"; `none` or empty:
/// nothing. UsageError, listing these, for another name.
PHRASEQ_API std::string post_process(std::string_view symbols, std::string_view how);

/// The same for a line that stands beside its symbols as the vocabulary's tokenizer made text of
/// them. Where the tokenizer left the symbols as they are (its vocabulary holds the subwords of
/// another program), the text is `post_process` of them. Where it joined subwords itself, only what
/// `subword_nmt` joins can be left.
PHRASEQ_API std::string post_process_text(std::string_view text,
                                          std::string_view symbols,
                                          std::string_view how);

}  // namespace phraseq

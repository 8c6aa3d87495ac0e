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

}  // namespace phraseq

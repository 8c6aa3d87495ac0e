#pragma once

#include <cstdint>
#include <string>

#include "core/base/api.h"
#include "core/phrase_memory/table/phrase_table.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// Target words of a phrase table that a vocabulary contains only in a different case: `paris`
/// where it has `Paris`. To the model, they are unknown words.
struct OtherCase {
  int64_t words = 0;        ///< of all targets
  int64_t other = 0;        ///< of these, those in a different case
  std::string word, known;  ///< the first of them and the vocabulary's word
};

PHRASEQ_API OtherCase count_other_case(const PhraseTable& table, const Dictionary& dictionary);

/// Warns, with what to do, when that is a tenth of the table's words or more.
PHRASEQ_API void warn_of_other_case(const PhraseTable& table, const Dictionary& dictionary);

}  // namespace phraseq

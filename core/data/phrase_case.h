#pragma once

#include "core/base/api.h"
#include "core/phrase_memory/table/phrase_table.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// Warns, with what to do, when a tenth of the table's target words or more are in the vocabulary
/// only in a different case: `paris` where it has `Paris`. To the model, they are unknown words.
PHRASEQ_API void warn_of_other_case(const PhraseTable& table, const Dictionary& dictionary);

}  // namespace phraseq

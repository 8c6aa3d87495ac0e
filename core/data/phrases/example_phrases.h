#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/example.h"
#include "core/phrase_memory/phrase_memory.h"
#include "core/phrase_memory/table/phrase_table.h"

namespace phraseq {

/// The ids of a phrase's words, one per word.
using EncodePhrase = std::function<std::vector<int64_t>(const std::vector<std::string>& words)>;

/// A slot of a sentence as its example holds it, without a span.
PHRASEQ_API ExamplePhrase example_phrase(const PhraseEntry& entry,
                                         std::vector<int64_t> places,
                                         std::vector<int64_t> target);

/// All slots that a memory found in a sentence, with their spans in a target.
PHRASEQ_API std::vector<ExamplePhrase> example_phrases(const SentencePhrases& found,
                                                       const std::vector<TargetSpan>& spans,
                                                       const EncodePhrase& encode);

/// Removes the phrases that do not lie entirely within the first `words` words of the source.
PHRASEQ_API void cut_phrases(std::vector<ExamplePhrase>& phrases, int64_t words);

/// For each token that a slot generated, the index of the phrase's word that it is; -1 elsewhere. A
/// slot's phrase may be generated again immediately, so words are counted from where the slot's
/// tokens begin.
PHRASEQ_API std::vector<int64_t> phrase_word_places(const std::vector<ExamplePhrase>& phrases,
                                                    const std::vector<int64_t>& slots);

}  // namespace phraseq

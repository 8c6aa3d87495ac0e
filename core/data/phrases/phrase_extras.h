#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"
#include "core/data/batch.h"
#include "core/data/example.h"

namespace phraseq {

/// Names of the phrase data of a batch among its host_extras; all packed. A slot's number counts
/// within its sentence, from 0.
///
/// [source tokens] the slot whose phrase covers the token, -1 = none
inline constexpr const char* kPhraseTags = "phrase_tags";
/// [sentences + 1] slots before each sentence
inline constexpr const char* kPhraseSlotOffsets = "phrase_slot_offsets";
/// [slots + 1] target words before each slot
inline constexpr const char* kPhraseWordOffsets = "phrase_word_offsets";
/// [target words of all slots] their ids, <unk> where a word is outside the vocabulary
inline constexpr const char* kPhraseWords = "phrase_words";
/// [target words of all slots] equal numbers for equal strings within the batch: the id of a word
/// of the vocabulary, a distinct negative number for each other string
inline constexpr const char* kPhraseStrings = "phrase_strings";
/// [target tokens] the slot whose phrase's span begins at the token, -1 = none; only with targets
inline constexpr const char* kPhraseSpanSlot = "phrase_span_slot";
/// [target tokens] the span's words where one begins, else 0; only with targets
inline constexpr const char* kPhraseSpanLength = "phrase_span_length";

/// Host extras of a batch whose source is divided into phrases; they do not come from a phrase
/// memory.
///
/// [phrases + 1] phrase p is rows offsets[p] to offsets[p+1] of the source
inline constexpr const char* kPhraseOffsets = "phrase_offsets";
/// [sentences + 1] sentence i has the phrases from the i-th to the i+1-th of these numbers
inline constexpr const char* kSentencePhrases = "sentence_phrases";

/// Adds the examples' phrases to the batch that was made of them. Sentences without phrases have no
/// slots. Throws DataError for a place outside its sentence.
PHRASEQ_API void add_phrases(const std::vector<Example>& examples, Batch& batch);

/// One of these extras. Throws UsageError for a batch of a task without phrases.
PHRASEQ_API const std::vector<int64_t>& phrase_numbers(const Batch& batch, const char* name);

}  // namespace phraseq

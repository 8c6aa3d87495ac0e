#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/base/api.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// Reads the vectors of a dictionary's symbols from a text file of word2vec, GloVe or fastText,
/// plain or .gz, as parse_embedding and load_embedding of fairseq's utils.py do: the first line
/// ("count dimension") is skipped; the others are a symbol and its numbers, separated by single
/// spaces. If a symbol occurs several times, the last vector counts.
///
/// `table` [dictionary.size() · dimension] holds one row per symbol; rows of symbols that the file
/// lacks do not change. Returns the number of symbols that the file has.
///
/// Throws a DataError with the line for a different dimension, and for a number that is not finite
/// in a vector that is used. For the other vectors, only the count of numbers is checked. Warns of
/// a first line that is not a header, of a number of vectors that differs from the header, and of
/// repeated symbols.
PHRASEQ_API int64_t read_word_vectors(const std::string& path,
                                      const Dictionary& dictionary,
                                      std::span<float> table);

}  // namespace phraseq

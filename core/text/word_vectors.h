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
/// spaces. Of a symbol that stands there several times, the last vector counts.
///
/// `table` [dictionary.size() · dimension] holds one row per symbol; rows of symbols that the file
/// lacks do not change. Returns the number of the others.
///
/// DataError with the line: another dimension, and a number of a vector that is taken which is not
/// finite. Of the other vectors, only the numbers are counted. Warns of a first line that is no
/// header, of another number of vectors than the header says, and of repeated symbols.
PHRASEQ_API int64_t read_word_vectors(const std::string& path,
                                      const Dictionary& dictionary,
                                      std::span<float> table);

}  // namespace phraseq

#pragma once

#include <cstdint>
#include <string>

#include "core/base/api.h"
#include "core/convert/foreign_vocabulary.h"

namespace phraseq {

/// Whether Marian reads the file as a SentencePiece model, judging by its name.
PHRASEQ_API bool is_marian_sentencepiece(const std::string& path);

/// Reads a Marian vocabulary for a model with `rows` symbols: a SentencePiece model (`.spm`), a
/// mapping of symbols to ids (`.yml`, `.yaml`, `.json`), or one symbol per line. Marian has no <s>
/// and no padding; decoding starts from a vector of zeros, which becomes <s>.
///
/// Throws IoError, UsageError for factored vocabularies (`.fsv`), and FormatError for files of any
/// other kind, ids with gaps, fewer symbols than `rows`, a missing </s> or <unk>, or a symbol <s>.
PHRASEQ_API ForeignVocabulary read_marian_vocabulary(const std::string& path, int64_t rows);

}  // namespace phraseq

#pragma once

#include "core/base/api.h"
#include "core/convert/foreign_model.h"
#include "core/convert/imported_model.h"

namespace phraseq {

/// Reads a MarianMTModel (OPUS-MT) from the folder that Hugging Face's `save_pretrained` writes:
/// config.json, model.safetensors or pytorch_model.bin, vocab.json (and target_vocab.json), and the
/// SentencePiece models source.spm and target.spm. Languages left empty are those of
/// tokenizer_config.json.
///
/// The decoder's start symbol becomes <s>, which is never produced. Throws FormatError, UsageError
/// and IoError as import_fairseq does.
PHRASEQ_API ImportedModel import_marian_mt(const ForeignModel& files);

}  // namespace phraseq

#pragma once

#include "core/base/api.h"
#include "core/convert/foreign_model.h"
#include "core/convert/imported_model.h"

namespace phraseq {

/// Reads an M2M100ForConditionalGeneration (M2M-100, NLLB-200) from the folder that Hugging Face's
/// `save_pretrained` writes: config.json, model.safetensors or pytorch_model.bin,
/// sentencepiece.bpe.model, and the files of read_m2m100_vocabulary. It becomes a model of the task
/// `translation_multi_simple_epoch`, whose direction is chosen when translating; the languages of
/// `files` are its defaults if they are given. Throws FormatError, UsageError and IoError as
/// import_fairseq does.
PHRASEQ_API ImportedModel import_m2m100(const ForeignModel& files);

}  // namespace phraseq

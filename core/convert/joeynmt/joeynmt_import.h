#pragma once

#include "core/base/api.h"
#include "core/convert/foreign_model.h"
#include "core/convert/imported_model.h"

namespace phraseq {

/// Reads a JoeyNMT (1.x and 2.x) Transformer: a checkpoint, config.yaml next to it, and the
/// vocabularies, by default src_vocab.txt and trg_vocab.txt. In a folder, best.ckpt is read. <pad>
/// and <s> are never produced, as in JoeyNMT's beam search. Throws FormatError, UsageError and
/// IoError as import_fairseq does.
PHRASEQ_API ImportedModel import_joeynmt(const ForeignModel& files);

}  // namespace phraseq

#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/convert/imported_model.h"

namespace phraseq {

/// The files of a JoeyNMT model.
struct JoeyFiles {
  std::string model{};                ///< the folder of a model, or a checkpoint (.ckpt) in it
  std::vector<std::string> vocabs{};  ///< empty: src_vocab.txt and trg_vocab.txt in the folder
  std::string sentencepiece{};        ///< subword model for both languages; empty = none
  std::string source_lang{};          ///< empty = as config.yaml has it
  std::string target_lang{};
};

/// Reads a JoeyNMT (1.x and 2.x) Transformer: a checkpoint, config.yaml next to it, and the
/// vocabularies. In a folder, best.ckpt is read. <pad> and <s> are never produced, as in JoeyNMT's
/// beam search. Throws FormatError, UsageError and IoError as import_fairseq does.
PHRASEQ_API ImportedModel import_joeynmt(const JoeyFiles& files);

}  // namespace phraseq

#pragma once

#include <string>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// Pretrained word vectors as initial values of the embeddings of a new model: --encoder-embed-path
/// and --decoder-embed-path of fairseq. They work for every architecture whose embeddings have
/// fairseq's names, `encoder.embed_tokens.weight` and `decoder.embed_tokens.weight`.
struct PHRASEQ_API PretrainedEmbeddings : Options {
  std::string encoder_embed_path;
  std::string decoder_embed_path;
  void describe(OptionTable& table) override;

  bool wanted() const { return !encoder_embed_path.empty() || !decoder_embed_path.empty(); }
  /// Sets the rows of the symbols that the files have, and logs their number. The others keep their
  /// values. Throws DataError like read_word_vectors, and UsageError if the model has no such
  /// embedding, or if it has one for both sides and the files differ.
  void copy_into(TranslationModel& translation_model) const;
};

}  // namespace phraseq

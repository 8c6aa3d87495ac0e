#pragma once

#include <string>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// Vectors of words that were trained elsewhere, as first values of the embeddings of a new model:
/// --encoder-embed-path and --decoder-embed-path of fairseq. They work for every architecture whose
/// embeddings have fairseq's names, `encoder.embed_tokens.weight` and
/// `decoder.embed_tokens.weight`.
struct PHRASEQ_API PretrainedEmbeddings : Options {
  std::string encoder_embed_path;
  std::string decoder_embed_path;
  void describe(OptionTable& table) override;

  bool wanted() const { return !encoder_embed_path.empty() || !decoder_embed_path.empty(); }
  /// Sets the rows of the symbols that the files have, and logs their number. The others keep their
  /// values. DataError as read_word_vectors; UsageError where the model has no such embedding, or
  /// one for both sides and the files differ.
  void copy_into(TranslationModel& translator) const;
};

}  // namespace phraseq

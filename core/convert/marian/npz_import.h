#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/convert/imported_model.h"

namespace phraseq {

/// The files of a Marian model.
struct MarianFiles {
  std::string model{};                ///< the `.npz` file, or a folder with one
  std::vector<std::string> vocabs{};  ///< of source and target, or of both; empty = decoder.yml's
  /// Subword model for text of both languages; empty = that of the vocabularies, otherwise
  /// source.spm and target.spm next to the model, otherwise none.
  std::string sentencepiece{};
  std::string source_lang{};
  std::string target_lang{};
};

/// Reads a Transformer that Marian trained: the parameters and `special:model.yml` in the `.npz`
/// file, and the vocabularies. The vector of zeros from which decoding starts becomes <s>, which is
/// never produced. Throws FormatError, UsageError and IoError as import_fairseq does; every setting
/// and parameter that is not understood is named.
PHRASEQ_API ImportedModel import_marian_npz(const MarianFiles& files);

}  // namespace phraseq

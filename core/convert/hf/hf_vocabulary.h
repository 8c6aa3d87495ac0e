#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/convert/foreign_vocabulary.h"

namespace phraseq {

/// The ids of the symbols with a meaning, as config.json has them.
struct HfSpecialIds {
  int64_t eos = 0;
  int64_t pad = 0;
  int64_t decoder_start = 0;
};

/// A vocabulary of Hugging Face (`vocab.json`: an object of symbols and ids), converted to
/// phraseq's form.
struct PHRASEQ_API HfVocabulary : ForeignVocabulary {
  bool has_bos = false;  ///< whether "<s>" is one of its symbols
  bool starts_with_eos = false;
};

/// The first four symbols are <s>, <pad>, </s> and <unk>; the others follow in the order of their
/// ids. In a vocabulary without <s>, it is added as the symbol from which decoding starts.
///
/// Throws a FormatError that begins with `path` for ids that are not 0 to n-1, special ids outside
/// this range, and a start symbol that cannot be expressed.
PHRASEQ_API HfVocabulary read_hf_vocabulary(const nlohmann::json& vocabulary,
                                            const HfSpecialIds& special,
                                            const std::string& path);

}  // namespace phraseq

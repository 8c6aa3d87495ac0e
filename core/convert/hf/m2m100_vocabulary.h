#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/convert/hf/hf_folder.h"
#include "core/text/dictionary.h"
#include "core/text/languages/language_tokens.h"

namespace phraseq {

/// The symbols of an M2M-100 or NLLB model and its languages.
struct M2m100Vocabulary {
  Dictionary dictionary;  ///< with the model's ids
  std::vector<std::string> languages;
  LanguageTokenStyle style = LanguageTokenStyle::kMultilingual;
};

/// M2M-100: vocab.json, followed by the languages (`__de__`, those of special_tokens_map.json or
/// the list that tokenizer_config.json names); NLLB: tokenizer.json with its added tokens
/// (`deu_Latn`), or the pieces of sentencepiece.bpe.model with ids greater by one and the languages
/// of special_tokens_map.json. Up to `size`, ids without a symbol get one that does not occur in
/// text. Throws FormatError for ids that are not consecutive or symbols that have no place.
PHRASEQ_API M2m100Vocabulary read_m2m100_vocabulary(const HfFolder& folder, int64_t size);

}  // namespace phraseq

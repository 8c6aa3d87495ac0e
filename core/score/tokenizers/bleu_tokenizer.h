#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq::score {

/// One of sacrebleu's tokenizers, and its name in signatures. The returned text is split at
/// whitespace afterwards. Thread-safe.
struct BleuTokenizer {
  std::string signature;
  std::function<std::string(std::string_view)> tokenize;
};

/// The tokenizer that sacrebleu uses for a target language: zh for "zh", the MeCab tokenizers for
/// "ja" and "ko", otherwise 13a.
PHRASEQ_API std::string default_tokenizer(const std::string& target_language);

/// `model` is the path of the SentencePiece model that spm, flores101, flores200 and spBLEU-1K
/// need; sacrebleu downloads these models, phraseq does not. Throws UsageError for an unknown name,
/// for a missing model, and for the MeCab tokenizers.
PHRASEQ_API BleuTokenizer make_bleu_tokenizer(const std::string& name, const std::string& model);

}  // namespace phraseq::score

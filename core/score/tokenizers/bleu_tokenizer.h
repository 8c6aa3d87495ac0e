#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq::score {

/// mteval-v13a.pl's: entities decoded, ASCII punctuation set apart, numbers kept whole.
PHRASEQ_API std::string tokenize_13a(std::string_view line);

/// mteval-v14.pl's `--international-tokenization`: Unicode punctuation apart unless it stands
/// between two numbers, every symbol apart. Entities stay. A mark at either end of the line that
/// touches a number stays with it, because nothing pads the line.
PHRASEQ_API std::string tokenize_intl(std::string_view line);

/// Every Chinese character apart, then the punctuation rules.
///
/// "Chinese" as sacrebleu has it, which is not what its author wrote: two ranges are given as "\u"
/// and five digits, so that U+2001-2A6D (dashes, curly quotes, arrows, mathematics) counts and
/// Extension B and its supplement do not.
PHRASEQ_API std::string tokenize_zh(std::string_view line);

/// Every character apart.
PHRASEQ_API std::string tokenize_char(std::string_view line);

/// A tokenizer by its sacrebleu name, and the name that the signature shows for it. What it returns
/// is split at whitespace afterwards. Thread safe.
struct BleuTokenizer {
  std::string signature;
  std::function<std::string(std::string_view)> tokenize;
};

/// The names that `make_bleu_tokenizer` knows.
PHRASEQ_API const std::vector<std::string>& bleu_tokenizer_names();

/// The one that sacrebleu takes for a target language: zh for "zh", the MeCab ones for "ja" and
/// "ko", else 13a.
PHRASEQ_API std::string default_tokenizer(const std::string& target_language);

/// `model` is the path of the SentencePiece model that spm, flores101, flores200 and spBLEU-1K
/// need: sacrebleu downloads those, we do not. UsageError for an unknown name, for a missing model,
/// and for the MeCab tokenizers.
PHRASEQ_API BleuTokenizer make_bleu_tokenizer(const std::string& name, const std::string& model);

}  // namespace phraseq::score

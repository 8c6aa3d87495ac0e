#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/corpus/text_encoder.h"
#include "core/text/dictionary.h"
#include "core/text/tokenizer.h"

namespace phraseq {

/// What was written of one side of a split.
struct SplitCounts {
  int64_t sentences = 0;
  int64_t tokens = 0;    ///< including the `</s>` that ends a sentence
  int64_t replaced = 0;  ///< tokens that became `<unk>`, excluding `<unk>` in the text itself
  int64_t control = 0;   ///< tokens of the text spelled `<s>`, `<pad>` or `</s>`
};

/// "29000 sents, 434957 tokens, 0.0065% replaced (by <unk>)", as fairseq prints it.
std::string to_string(const SplitCounts& counts);

/// Encodes a text with a finished dictionary and writes it as an indexed dataset.
SplitCounts write_split(const CheckedText& text,
                        const Tokenizer& tokenizer,
                        const Dictionary& dictionary,
                        int64_t workers,
                        const std::string& prefix);

/// The same while the symbols of the dictionary are counted: they get ids in order of appearance.
/// This way, a training text is tokenized only once.
void write_provisional(const CheckedText& text,
                       const Tokenizer& tokenizer,
                       Dictionary& counted,
                       int64_t workers,
                       const std::string& prefix);

/// Rewrites what `write_provisional` wrote, with `final_ids[provisional id]`.
SplitCounts rewrite_split(const std::string& provisional_prefix,
                          std::span<const int64_t> final_ids,
                          int64_t vocabulary,
                          const std::string& prefix);

}  // namespace phraseq

#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// How subwords are joined: fairseq's --remove-bpe / --post-process.
enum class PostProcess {
  kNotGiven,
  kNone,
  kSubwordNmt,     ///< removes "@@ "
  kSentencePiece,  ///< removes spaces, U+2581 becomes a space
  kWordPiece,      ///< the same with "_"
  kLetter,         ///< with "|"
  kEndOfWord,      ///< with "_EOW"
};

inline constexpr EnumName<PostProcess> kPostProcessNames[] = {
    {"", PostProcess::kNotGiven},
    {"none", PostProcess::kNone},
    {"subword_nmt", PostProcess::kSubwordNmt},
    {"sentencepiece", PostProcess::kSentencePiece},
    {"wordpiece", PostProcess::kWordPiece},
    {"letter", PostProcess::kLetter},
    {"_EOW", PostProcess::kEndOfWord}};

/// Joins the subwords of a line of symbols.
PHRASEQ_API std::string post_process(std::string_view symbols, PostProcess how);

/// Does the same for a line of text that the vocabulary's tokenizer made from `symbols`. If the
/// tokenizer did not change the symbols (its vocabulary consists of another program's subwords),
/// the result is `post_process` of the symbols. If it joined subwords itself, only those that
/// `subword_nmt` joins can remain.
PHRASEQ_API std::string post_process_text(std::string_view text,
                                          std::string_view symbols,
                                          PostProcess how);

}  // namespace phraseq

#pragma once

#include <string_view>

namespace phraseq {

/// What a translation's text has for an unknown word: the symbol or, from SentencePiece, which
/// puts spaces around it, another character.
inline constexpr std::string_view kUnknownSymbol = "<unk>";
inline constexpr std::string_view kSentencePieceUnknown = "\u2047";
inline constexpr std::string_view kSentencePieceUnknownWithSpaces = " \u2047 ";

}  // namespace phraseq

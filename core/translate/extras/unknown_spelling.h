#pragma once

#include <string_view>

namespace phraseq {

/// How an unknown word is written in a translation's text: as this symbol or, with SentencePiece,
/// as a different character with spaces around it.
inline constexpr std::string_view kUnknownSymbol = "<unk>";
inline constexpr std::string_view kSentencePieceUnknown = "\u2047";
inline constexpr std::string_view kSentencePieceUnknownWithSpaces = " \u2047 ";

}  // namespace phraseq

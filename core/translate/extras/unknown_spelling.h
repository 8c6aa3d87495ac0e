#pragma once

#include <string_view>

namespace phraseq {

/// What stands for an unknown word in a translation's text: the symbol or, with SentencePiece,
/// which puts spaces around it, a different character.
inline constexpr std::string_view kUnknownSymbol = "<unk>";
inline constexpr std::string_view kSentencePieceUnknown = "\u2047";
inline constexpr std::string_view kSentencePieceUnknownWithSpaces = " \u2047 ";

}  // namespace phraseq

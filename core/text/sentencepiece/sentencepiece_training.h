#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The models that SentencePiece learns: byte-pair encoding, or a unigram language model.
enum class SentencePieceType { kBpe, kUnigram };

inline constexpr EnumName<SentencePieceType> kSentencePieceTypeNames[] = {
    {"bpe", SentencePieceType::kBpe}, {"unigram", SentencePieceType::kUnigram}};

/// The settings of train_sentencepiece.
struct SentencePieceTraining {
  SentencePieceType type = SentencePieceType::kBpe;
  int64_t pieces = 10000;
  double character_coverage = 1.0;  ///< share of the text's characters that pieces must cover
};

/// Learns a SentencePiece model; returns the content of its `.model` file. `next` reads one line
/// per call and returns false at the end. Lines that are longer than SentencePiece's limit of 4,192
/// bytes are divided. Throws UsageError if the text is too small for this number of pieces.
PHRASEQ_API std::string train_sentencepiece(const std::function<bool(std::string&)>& next,
                                            const SentencePieceTraining& training);

}  // namespace phraseq

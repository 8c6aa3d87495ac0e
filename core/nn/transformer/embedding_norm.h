#pragma once

#include "core/options/option_table.h"

namespace phraseq::nn {

/// Whether the sum of token and position embeddings is normalized, and where.
enum class EmbeddingNorm { kNo, kAfterDropout, kBeforeDropout };

inline constexpr EnumName<EmbeddingNorm> kEmbeddingNormNames[] = {
    {"no", EmbeddingNorm::kNo},
    {"after-dropout", EmbeddingNorm::kAfterDropout},
    {"before-dropout", EmbeddingNorm::kBeforeDropout}};

}  // namespace phraseq::nn

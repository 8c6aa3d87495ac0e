#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/recorded.h"
#include "core/base/api.h"

namespace phraseq::analysis {

/// The kinds of attention modules of a Transformer.
enum class AttentionPlace { kEncoderSelf, kDecoderSelf, kCross };
PHRASEQ_API AttentionPlace attention_place(std::string_view name);  ///< "cross" …; UsageError
PHRASEQ_API std::string_view to_string(AttentionPlace place);
PHRASEQ_API std::string_view title_of(AttentionPlace place);  ///< "Cross-attention" …

/// The attention weights of one module for one sentence, [query kinds, heads, queries, key kinds,
/// keys], as core/nn/recording.h lays them out. The kinds are n-grams, stored at their last token;
/// row 0 of a longer query does not exist, because there are not enough tokens before it.
struct PHRASEQ_API AttentionWeights {
  std::string module;  ///< "decoder.layers.0.encoder_attn"
  AttentionPlace place = AttentionPlace::kCross;
  int64_t layer = 0;  ///< from 1
  int64_t heads = 0, queries = 0, keys = 0;
  std::vector<int64_t> query_ngrams, key_ngrams;  ///< n of each kind
  const std::vector<float>* values = nullptr;

  float at(size_t query_kind, int64_t head, int64_t query, size_t key_kind, int64_t key) const;
  bool has_row(size_t query_kind, int64_t query) const {
    return query >= query_ngrams[query_kind] - 1;
  }
};

/// The attention weights among a sentence's recorded tensors, by layer. They refer to the sentence,
/// which must outlive them. They are recognized by the names that they have in phraseq's
/// Transformers: `encoder.layers.N.self_attn.weights`, `decoder.layers.N.self_attn.weights`,
/// `decoder.layers.N.encoder_attn.weights`; and, in recurrent decoders,
/// `decoder.attention.weights`. Throws FormatError for a tensor of such a name with a different
/// layout.
PHRASEQ_API std::vector<AttentionWeights> attention_weights(const RecordedSentence& sentence,
                                                            AttentionPlace place);

/// The same for attention to the phrases of a source (`phrase_combinations.N.phrase_attn.weights`):
/// of the encoder's layers for kEncoderSelf, otherwise of the decoder's. Keys are phrases.
PHRASEQ_API std::vector<AttentionWeights> phrase_attention_weights(const RecordedSentence& sentence,
                                                                   AttentionPlace place);

}  // namespace phraseq::analysis

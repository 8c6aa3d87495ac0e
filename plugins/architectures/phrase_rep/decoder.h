#pragma once

#include <memory>
#include <vector>

#include "core/nn/transformer/output_projection.h"
#include "core/nn/transformer/stack_embedding.h"
#include "core/nn/transformer/transformer_layer.h"
#include "plugins/architectures/phrase_rep/combination.h"
#include "plugins/architectures/phrase_rep/encoder.h"
#include "plugins/architectures/phrase_rep/transparent_attention.h"

namespace phraseq::phrase_rep {

/// The source as one decoder layer reads it.
struct LayerMemory {
  at::Tensor tokens;   ///< [source tokens, model]
  at::Tensor phrases;  ///< [phrases, model]
};

/// The state of a decoder layer between steps.
struct PhraseLayerState {
  nn::DecoderLayerState layer;
  std::unique_ptr<nn::AttentionState> phrases;

  void select(const std::vector<int64_t>& rows) {
    layer.select(rows);
    phrases->select(rows);
  }
};

/// Decoder layers that attend to the source's phrases between self-attention and attention to the
/// source's tokens (Xu et al. 2020, fig. 2). In addition to the Transformer's parameters:
/// `phrase_combinations.0` …, one per layer, `transparent_attention` (phrases),
/// `token_transparent_attention` (--pr-ta both).
class PhraseDecoder : public torch::nn::Module {
 public:
  using States = std::vector<PhraseLayerState>;

  PhraseDecoder(const PhraseRepOptions& options,
                int64_t vocabulary,
                std::shared_ptr<nn::EmbeddingTable> shared);

  /// Hidden rows [target tokens, model].
  at::Tensor forward(const PackedTokens& target,
                     const EncodedSource& encoded,
                     const PackedTokens& source,
                     const PhraseIndex& phrases,
                     nn::Context& context) const;

  States start(const EncodedSource& encoded,
               const PackedTokens& source,
               const PhraseIndex& phrases,
               nn::Context& context) const;
  /// Hidden rows [rows, model] of one step; last_tokens [rows].
  at::Tensor step(const at::Tensor& last_tokens,
                  States& states,
                  const nn::DecodingRows& rows,
                  nn::Context& context,
                  at::Tensor* cross_weights = nullptr) const;

  DecoderOutput project(const at::Tensor& hidden) const { return output_.around(hidden); }
  void initialize(nn::Initializer& initializer);
  double multiply_adds(double source_tokens, double phrases, double target_tokens) const;

 private:
  std::vector<LayerMemory> memories(const EncodedSource& encoded, nn::Context& context) const;

  nn::StackEmbedding embedding_;
  std::vector<std::shared_ptr<Combination>> combinations_;
  std::vector<std::shared_ptr<nn::TransformerDecoderLayer>> layers_;
  std::shared_ptr<TransparentAttention> phrase_mixture_, token_mixture_;
  nn::FinalNorm final_norm_;
  nn::OutputProjection output_;
};

}  // namespace phraseq::phrase_rep

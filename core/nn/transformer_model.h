#pragma once

#include <memory>
#include <vector>

#include "core/nn/architecture.h"
#include "core/nn/token_embedding.h"
#include "core/nn/transformer_layer.h"
#include "core/nn/transformer_options.h"

namespace phraseq::nn {

/// A stack of encoder layers over the embedded source. Parameters: `embed_tokens`,
/// `embed_positions` (learned), `layernorm_embedding`, `layers.N`, `layer_norm` (pre-norm).
class PHRASEQ_API TransformerEncoder : public torch::nn::Module {
 public:
  TransformerEncoder(const TransformerOptions& options, int64_t vocabulary);
  /// [source tokens, model]
  at::Tensor forward(const PackedTokens& source, Context& context) const;
  void initialise(Initialiser& initialiser);
  const std::shared_ptr<EmbeddingTable>& embed_tokens() const { return embed_tokens_; }

 private:
  std::shared_ptr<EmbeddingTable> embed_tokens_;
  std::shared_ptr<EmbeddingTable> embed_positions_;
  std::shared_ptr<LayerNorm> layernorm_embedding_;
  std::unique_ptr<TokenEmbedding> embedding_;
  std::vector<std::shared_ptr<TransformerEncoderLayer>> layers_;
  std::shared_ptr<LayerNorm> layer_norm_;
};

/// A stack of decoder layers over the embedded target, and the output projection.
class PHRASEQ_API TransformerDecoder : public torch::nn::Module {
 public:
  /// `shared` is the source's matrix when all embeddings are one, else null.
  TransformerDecoder(const TransformerOptions& options,
                     int64_t vocabulary,
                     std::shared_ptr<EmbeddingTable> shared);

  /// Hidden rows [target tokens, model]. `cross_weights`: the last layer's, averaged over heads.
  at::Tensor forward(const PackedTokens& target,
                     const at::Tensor& memory,
                     const PackedTokens& source,
                     Context& context,
                     at::Tensor* cross_weights = nullptr) const;

  std::vector<DecoderLayerState> start(const at::Tensor& memory, Context& context) const;
  /// Hidden rows [rows, model] of the step that was just opened in `rows.ancestry`.
  at::Tensor step(const at::Tensor& last_tokens,
                  std::vector<DecoderLayerState>& states,
                  const DecodingRows& rows,
                  Context& context,
                  at::Tensor* cross_weights = nullptr) const;

  /// The output matrix and bias around some hidden rows.
  DecoderOutput project(const at::Tensor& hidden) const;
  void initialise(Initialiser& initialiser);

 private:
  at::Tensor finish(const at::Tensor& x, Context& context) const;

  bool owns_embedding_ = true;
  std::shared_ptr<EmbeddingTable> embed_tokens_;
  std::shared_ptr<EmbeddingTable> embed_positions_;
  std::shared_ptr<LayerNorm> layernorm_embedding_;
  std::unique_ptr<TokenEmbedding> embedding_;
  std::vector<std::shared_ptr<TransformerDecoderLayer>> layers_;
  std::shared_ptr<LayerNorm> layer_norm_;
  std::shared_ptr<LinearMap> output_projection_;
  at::Tensor output_bias_;
  std::vector<int64_t> forbidden_;
};

/// The encoder-decoder Transformer (Vaswani et al. 2017) with every switch of TransformerOptions.
class PHRASEQ_API TransformerModel : public Architecture {
 public:
  TransformerModel(const TransformerOptions& options, const ArchitectureSetup& setup);

  DecoderOutput forward(const Batch& batch, Context& context) override;
  std::unique_ptr<DecodingSession> start_decoding(const Batch& batch,
                                                  const DecodingLimits& limits,
                                                  Context& context) override;
  int64_t model_width() const override { return options_.encoder_embed_dim; }
  int64_t max_source_positions() const override { return options_.max_source_positions; }
  int64_t max_target_positions() const override { return options_.max_target_positions; }
  void initialise(uint64_t seed) override;
  bool starts_with_bos() const override { return options_.start_token == "bos"; }
  bool source_has_bos() const override { return options_.source_bos; }
  double multiply_adds(int64_t source_tokens, int64_t target_tokens) const override;

 private:
  TransformerOptions options_;
  int64_t target_vocabulary_;
  std::shared_ptr<TransformerEncoder> encoder_;
  std::shared_ptr<TransformerDecoder> decoder_;
};

}  // namespace phraseq::nn

#pragma once

#include <memory>
#include <vector>

#include "core/nn/architecture.h"
#include "core/nn/transformer/attention_factory.h"
#include "core/nn/transformer/output_projection.h"
#include "core/nn/transformer/stack_embedding.h"
#include "core/nn/transformer/transformer_layer.h"
#include "core/nn/transformer/transformer_options.h"

namespace phraseq::nn {

/// A stack of encoder layers over the embedded source. Parameters: `embed_tokens`,
/// `embed_positions` (learned), `layernorm_embedding`, `layers.N`, `layer_norm` (pre-norm).
class PHRASEQ_API TransformerEncoder : public torch::nn::Module {
 public:
  TransformerEncoder(const TransformerOptions& options,
                     int64_t vocabulary,
                     const AttentionFactory& attention);
  /// [source tokens, model]
  at::Tensor forward(const PackedTokens& source, Context& context) const;
  void initialize(Initializer& initializer);
  double multiply_adds(double tokens) const;
  const std::shared_ptr<EmbeddingTable>& embed_tokens() const { return embedding_.tokens; }

 private:
  StackEmbedding embedding_;
  std::vector<std::shared_ptr<TransformerEncoderLayer>> layers_;
  std::shared_ptr<LayerNorm> layer_norm_;
};

/// A stack of decoder layers over the embedded target, and the output projection.
class PHRASEQ_API TransformerDecoder : public torch::nn::Module {
 public:
  using States = std::vector<DecoderLayerState>;

  /// `shared` is the source's matrix when all embeddings are one, else null.
  TransformerDecoder(const TransformerOptions& options,
                     int64_t vocabulary,
                     std::shared_ptr<EmbeddingTable> shared,
                     const AttentionFactory& attention);

  /// Hidden rows [target tokens, model] over memory [source tokens, encoder model].
  /// `cross_weights`: the last layer's, averaged over heads, [target tokens, longest source].
  at::Tensor forward(const PackedTokens& target,
                     const at::Tensor& memory,
                     const PackedTokens& source,
                     Context& context,
                     at::Tensor* cross_weights = nullptr) const;

  States start(const at::Tensor& memory, const PackedTokens& source, Context& context) const;
  /// Hidden rows [rows, model] of the step that was just opened in `rows.ancestry`.
  at::Tensor step(const at::Tensor& last_tokens,
                  States& states,
                  const DecodingRows& rows,
                  Context& context,
                  at::Tensor* cross_weights = nullptr) const;

  /// The output matrix and bias around some hidden rows [rows, model].
  DecoderOutput project(const at::Tensor& hidden) const { return output_.around(hidden); }
  void initialize(Initializer& initializer);
  double multiply_adds(double source_tokens, double target_tokens) const;

 private:
  StackEmbedding embedding_;
  std::vector<std::shared_ptr<TransformerDecoderLayer>> layers_;
  std::shared_ptr<LayerNorm> layer_norm_;
  OutputProjection output_;
};

/// How sequences begin under these options.
PHRASEQ_API SequenceConventions conventions_of(const TransformerOptions& options);

/// The encoder-decoder Transformer (Vaswani et al. 2017) with every switch of TransformerOptions.
/// A variant that changes attention alone brings its own factory.
class PHRASEQ_API TransformerModel : public Architecture {
 public:
  TransformerModel(const TransformerOptions& options,
                   const ArchitectureSetup& setup,
                   const AttentionFactory& attention = AttentionFactory());

  DecoderOutput forward(const Batch& batch, Context& context) override;
  std::unique_ptr<DecodingSession> start_decoding(const Batch& batch,
                                                  const DecodingLimits& limits,
                                                  Context& context) override;
  int64_t model_width() const override { return options_.encoder_embed_dim; }
  int64_t max_source_positions() const override { return options_.max_source_positions; }
  int64_t max_target_positions() const override { return options_.max_target_positions; }
  void initialize(uint64_t seed) override;
  SequenceConventions conventions() const override { return conventions_of(options_); }
  double multiply_adds(int64_t source_tokens, int64_t target_tokens) const override;

 private:
  TransformerOptions options_;
  std::shared_ptr<TransformerEncoder> encoder_;
  std::shared_ptr<TransformerDecoder> decoder_;
};

/// A UsageError when all embeddings shall be one matrix and there are two dictionaries.
PHRASEQ_API void check_shared_embeddings(const TransformerOptions& options,
                                         const ArchitectureSetup& setup);

}  // namespace phraseq::nn

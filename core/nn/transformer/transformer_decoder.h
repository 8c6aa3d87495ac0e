#pragma once

#include <memory>
#include <vector>

#include "core/base/api.h"
#include "core/nn/transformer/attention_factory.h"
#include "core/nn/transformer/output_projection.h"
#include "core/nn/transformer/stack_embedding.h"
#include "core/nn/transformer/transformer_layer.h"
#include "core/nn/transformer/transformer_options.h"

namespace phraseq::nn {

/// A stack of decoder layers over the embedded target, and the output projection.
class PHRASEQ_API TransformerDecoder : public torch::nn::Module {
 public:
  using States = std::vector<DecoderLayerState>;

  /// `shared` is the source's matrix if all embeddings are shared, otherwise null.
  TransformerDecoder(const TransformerOptions& options,
                     int64_t vocabulary,
                     std::shared_ptr<EmbeddingTable> shared,
                     const AttentionFactory& attention);

  /// Hidden rows [target tokens, model] over memory [source tokens, encoder model].
  /// `cross_weights`: receives the weights of one layer's attention to the source (-1 = the last
  /// layer), [target tokens, longest source], as computed by its module.
  at::Tensor forward(const PackedTokens& target,
                     const at::Tensor& memory,
                     const PackedTokens& source,
                     Context& context,
                     at::Tensor* cross_weights = nullptr,
                     int64_t weights_layer = -1) const;

  /// The weights of a layer's attention to the source, [target tokens, longest source], computed
  /// with every target token attending to the whole target (Garg et al. 2019, sec. 4.2). Layers
  /// above are not computed.
  at::Tensor full_context_weights(const PackedTokens& target,
                                  const at::Tensor& memory,
                                  const PackedTokens& source,
                                  int64_t weights_layer,
                                  Context& context) const;

  States start(const at::Tensor& memory, const PackedTokens& source, Context& context) const;
  /// Hidden rows [rows, model] of the step that was just opened in `rows.ancestry`.
  at::Tensor step(const at::Tensor& last_tokens,
                  States& states,
                  const DecodingRows& rows,
                  Context& context,
                  at::Tensor* cross_weights = nullptr) const;

  /// The DecoderOutput with some hidden rows [rows, model], the output matrix and its bias.
  DecoderOutput project(const at::Tensor& hidden) const { return output_.around(hidden); }
  void initialize(Initializer& initializer);
  double multiply_adds(double source_tokens, double target_tokens) const;

 private:
  StackEmbedding embedding_;
  std::vector<std::shared_ptr<TransformerDecoderLayer>> layers_;
  FinalNorm final_norm_;
  OutputProjection output_;
  LayerDrop drop_;
};

}  // namespace phraseq::nn

#pragma once

#include <memory>
#include <vector>

#include "core/nn/transformer/attention_module.h"
#include "core/nn/transformer/output_projection.h"
#include "core/nn/transformer/stack_embedding.h"
#include "core/nn/transformer/transformer_layer.h"
#include "plugins/architectures/transformer_lm/options.h"

namespace phraseq::transformer_lm {

/// A stack of layers of causal self-attention over embedded tokens, and the output projection; a
/// Decoder in the sense of nn::DecoderSession, without attention to a source.
class CausalDecoder final : public torch::nn::Module {
 public:
  using States = std::vector<nn::SelfAttentionLayerState>;

  CausalDecoder(const LanguageModelOptions& options, int64_t vocabulary, int64_t max_positions);

  /// Hidden rows [tokens, model].
  at::Tensor forward(const PackedTokens& tokens, nn::Context& context) const;
  States start() const;
  /// Hidden rows [rows, model] of the step that was just opened in `rows.ancestry`.
  at::Tensor step(const at::Tensor& last_tokens,
                  States& states,
                  const nn::DecodingRows& rows,
                  nn::Context& context,
                  at::Tensor* cross_weights = nullptr) const;

  DecoderOutput project(const at::Tensor& hidden) const { return output_.around(hidden); }
  void initialize(nn::Initializer& initializer);
  double multiply_adds(double tokens) const;

 private:
  nn::StackEmbedding embedding_;
  std::vector<std::shared_ptr<nn::SelfAttentionLayer>> layers_;
  nn::FinalNorm final_norm_;
  nn::OutputProjection output_;
  nn::LayerDrop drop_;
};

}  // namespace phraseq::transformer_lm

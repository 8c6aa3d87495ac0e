#include "core/nn/transformer/multihead_attention.h"

#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/nn/functional/attention_weights.h"
#include "core/nn/functional/linear.h"
#include "core/nn/recording.h"
#include "core/nn/transformer/transformer_options.h"

namespace phraseq::nn {
namespace {

std::vector<at::Tensor> biases_of(std::initializer_list<const LinearMap*> maps) {
  std::vector<at::Tensor> biases;
  for (const LinearMap* map : maps) {
    if (map->bias.defined())
      biases.push_back(map->bias);
  }
  return biases;
}

/// Keys and values of the tokens decoded so far.
struct GrowingKeys final : AttentionState {
  SelfAttentionCache cache;
};

/// Keys and values of the sources, [source tokens, 2 · model], and their offsets by sentence.
struct SourceKeys final : AttentionState {
  at::Tensor kv;
  std::vector<int64_t> offsets;
};

}  // namespace

MultiheadAttentionOptions MultiheadAttentionOptions::encoder_self(const TransformerOptions& o) {
  return {o.encoder_embed_dim,
          o.encoder_embed_dim,
          o.encoder_attention_heads,
          o.attention_dropout,
          o.attn_bias};
}

MultiheadAttentionOptions MultiheadAttentionOptions::decoder_self(const TransformerOptions& o) {
  return {o.decoder_embed_dim,
          o.decoder_embed_dim,
          o.decoder_attention_heads,
          o.attention_dropout,
          o.attn_bias};
}

MultiheadAttentionOptions MultiheadAttentionOptions::cross(const TransformerOptions& o) {
  return {o.decoder_embed_dim,
          o.encoder_embed_dim,
          o.decoder_attention_heads,
          o.attention_dropout,
          o.attn_bias};
}

AttentionMaps::AttentionMaps(torch::nn::Module& owner, const MultiheadAttentionOptions& o)
    : options(o) {
  if (o.heads < 1 || o.model % o.heads != 0) {
    throw UsageError(
        fmt::format(
            "the model width is not divisible by the number of attention heads: {} heads, width {}",
            o.heads,
            o.model),
        "--encoder-attention-heads must divide --encoder-embed-dim, and --decoder-attention-heads "
        "--decoder-embed-dim.");
  }
  const auto make = [&](const char* name, int64_t in, MapRole role) {
    return owner.register_module(name, std::make_shared<LinearMap>(in, o.model, o.bias, role));
  };
  k_proj = make("k_proj", o.key_model, MapRole::kAttentionInput);
  v_proj = make("v_proj", o.key_model, MapRole::kAttentionInput);
  q_proj = make("q_proj", o.model, MapRole::kAttentionInput);
  out_proj = make("out_proj", o.model, MapRole::kAttentionOutput);
}

at::Tensor AttentionMaps::keys_values_queries(const at::Tensor& x, Context& context) const {
  return stacked_linear(x,
                        {k_proj->weight, v_proj->weight, q_proj->weight},
                        biases_of({k_proj.get(), v_proj.get(), q_proj.get()}),
                        context);
}

at::Tensor AttentionMaps::keys_values(const at::Tensor& memory, Context& context) const {
  return stacked_linear(
      memory, {k_proj->weight, v_proj->weight}, biases_of({k_proj.get(), v_proj.get()}), context);
}

AttentionOptions AttentionMaps::attention(bool causal) const {
  return {options.heads, scale(), options.dropout, causal};
}

double AttentionMaps::scale() const {
  return 1.0 / std::sqrt(static_cast<double>(options.model / options.heads));
}

void AttentionMaps::initialize(Initializer& initializer) {
  for (const auto& map : {k_proj, v_proj, q_proj, out_proj}) map->initialize(initializer);
}

double AttentionMaps::multiply_adds(double queries, double keys) const {
  const auto model = static_cast<double>(options.model);
  const auto key_model = static_cast<double>(options.key_model);
  return 2 * model * (queries * model + keys * key_model);
}

MultiheadSelfAttention::MultiheadSelfAttention(const MultiheadAttentionOptions& options)
    : maps_(*this, options) {}

at::Tensor MultiheadSelfAttention::forward(const at::Tensor& x,
                                           const PackedTokens& tokens,
                                           bool causal,
                                           Context& context) const {
  const AttentionOptions attention = maps_.attention(causal);
  const at::Tensor kvq = maps_.keys_values_queries(x, context);  // [tokens, 3 · model]
  if (context.recording())
    record_weights(kvq, tokens, attention, context);
  const at::Tensor heads = self_attention(kvq, tokens, attention, context);  // [tokens, model]
  return maps_.out_proj->forward(heads, context);
}

void MultiheadSelfAttention::record_weights(const at::Tensor& kvq,
                                            const PackedTokens& tokens,
                                            const AttentionOptions& attention,
                                            Context& context) const {
  const auto parts = kvq.chunk(3, 1);  // keys, values, queries: [tokens, model] each
  context.recording()->add(
      *this, "weights", attention_weights(parts[2], parts[0], tokens, tokens, attention));
}

std::unique_ptr<AttentionState> MultiheadSelfAttention::start() const {
  return std::make_unique<GrowingKeys>();
}

at::Tensor MultiheadSelfAttention::step(const at::Tensor& x,
                                        AttentionState& state,
                                        const DecodingRows& rows,
                                        Context& context) const {
  SelfAttentionCache& past = dynamic_cast<GrowingKeys&>(state).cache;
  const at::Tensor kvq = maps_.keys_values_queries(x, context);  // [rows, 3 · model]
  const at::Tensor heads = past.append_and_attend(
      kvq, rows.ancestry, maps_.options.heads, maps_.scale());  // [rows, model]
  return maps_.out_proj->forward(heads, context);
}

MultiheadCrossAttention::MultiheadCrossAttention(const MultiheadAttentionOptions& options)
    : maps_(*this, options) {}

at::Tensor MultiheadCrossAttention::forward(const at::Tensor& x,
                                            const PackedTokens& queries,
                                            const at::Tensor& memory,
                                            const PackedTokens& keys,
                                            Context& context,
                                            at::Tensor* weights) const {
  return attend(project(x, memory, context), queries, keys, context, weights);
}

MultiheadCrossAttention::Projected MultiheadCrossAttention::project(const at::Tensor& x,
                                                                    const at::Tensor& memory,
                                                                    Context& context) const {
  at::Tensor q = maps_.q_proj->forward(x, context);
  return {std::move(q), maps_.keys_values(memory, context)};
}

at::Tensor MultiheadCrossAttention::attend(const Projected& projected,
                                           const PackedTokens& queries,
                                           const PackedTokens& keys,
                                           Context& context,
                                           at::Tensor* weights) const {
  if (context.recording())
    record_weights(projected, queries, keys, context);
  const at::Tensor heads = cross_attention(projected.q,  // [query tokens, model]
                                           projected.kv,
                                           queries,
                                           keys,
                                           maps_.attention(/*causal=*/false),
                                           context,
                                           weights);
  return maps_.out_proj->forward(heads, context);
}

void MultiheadCrossAttention::record_weights(const Projected& projected,
                                             const PackedTokens& queries,
                                             const PackedTokens& keys,
                                             Context& context) const {
  const at::Tensor k = projected.kv.narrow(1, 0, maps_.options.model);  // [key tokens, model]
  const AttentionOptions attention = maps_.attention(/*causal=*/false);
  context.recording()->add(
      *this, "weights", attention_weights(projected.q, k, queries, keys, attention));
}

std::unique_ptr<AttentionState> MultiheadCrossAttention::start(const at::Tensor& memory,
                                                               const PackedTokens& keys,
                                                               Context& context) const {
  auto state = std::make_unique<SourceKeys>();
  state->kv = maps_.keys_values(memory, context);
  state->offsets = keys.offsets;
  return state;
}

at::Tensor MultiheadCrossAttention::step(const at::Tensor& x,
                                         AttentionState& state,
                                         const DecodingRows& rows,
                                         Context& context,
                                         at::Tensor* weights) const {
  const auto& keys = dynamic_cast<const SourceKeys&>(state);
  const at::Tensor q = maps_.q_proj->forward(x, context);  // [rows, model]
  const at::Tensor heads = decode_cross_attention(
      q, keys.kv, keys.offsets, rows.sentence_of_row, maps_.options.heads, maps_.scale(), weights);
  return maps_.out_proj->forward(heads, context);
}

}  // namespace phraseq::nn

#include "plugins/architectures/transformer_lm/options.h"

#include <fmt/format.h>

#include "core/options/enum_name.h"

namespace phraseq {
namespace {

constexpr double kLargestSize = 65536;

void describe_sizes(OptionTable& table, LanguageModelOptions& o) {
  table.field("decoder-embed-dim", o.decoder_embed_dim, "Embedding dimension.").in(1, kLargestSize);
  table.field("decoder-ffn-embed-dim", o.decoder_ffn_embed_dim, "Embedding dimension for FFN.")
      .in(1, kLargestSize);
  table.field("decoder-layers", o.decoder_layers, "Number of layers.").in(1, kLargestSize);
  table.field("decoder-attention-heads", o.decoder_attention_heads, "Number of attention heads.")
      .in(1, kLargestSize);
}

void describe_regularization(OptionTable& table, LanguageModelOptions& o) {
  table.field("dropout", o.dropout, "Dropout probability.").in(0.0, 0.99);
  table
      .field("attention-dropout", o.attention_dropout, "Dropout probability for attention weights.")
      .in(0.0, 0.99)
      .alias("attn-dropout");
  table
      .field("activation-dropout",
             o.activation_dropout,
             "Dropout probability after activation in FFN.")
      .in(0.0, 0.99)
      .alias("act-dropout")
      .alias("relu-dropout");
  o.decoder_drop.describe(table, "decoder");
}

void describe_switches(OptionTable& table, LanguageModelOptions& o) {
  table.field("share-decoder-input-output-embed",
              o.share_decoder_input_output_embed,
              "Share input and output embeddings.");
  table.field("no-scale-embedding",
              o.no_scale_embedding,
              "Do not scale embeddings by sqrt(embedding dimension).");
  table.field("pos",
              o.pos,
              nn::kPositionKindNames,
              "Positional embeddings: one of four sinusoidal variants, learned, or none.");
  table.field("embed-norm",
              o.embed_norm,
              nn::kEmbeddingNormNames,
              "Layer normalization of the sum of token and positional embeddings: none, or after "
              "or before dropout.");
  table.field("decoder-normalize-before",
              o.decoder_normalize_before,
              "Apply layer normalization before each sub-layer, and once after the last layer. "
              "fairseq's presets do this, but its transformer_lm does not.");
  table.field("no-decoder-final-norm",
              o.no_decoder_final_norm,
              "Leave out the layer normalization after the last layer.");
  table
      .field("activation-fn",
             o.activation_fn,
             nn::kFeedForwardActivationNames,
             "Activation function of the feed-forward layers; gelu is the exact (erf) form.")
      .alias("activation");
  table.field("norm-eps", o.norm_eps, "Epsilon of layer normalization.").in(1e-12, 1e-2);
  table
      .field("max-target-positions",
             o.max_positions,
             "Maximum number of tokens that the model reads; 0 = --tokens-per-sample of the task, "
             "or 1024 for other tasks.")
      .in(0, 16777216);
}

}  // namespace

LanguageModelOptions::LanguageModelOptions() {
  nn::use_fairseq_conventions(*this);
  set_sizes(512, 2048, 8, 6);
  set_dropout(0.1, 0.0, 0.0);
}

void LanguageModelOptions::describe(OptionTable& table) {
  describe_sizes(table, *this);
  describe_regularization(table, *this);
  describe_switches(table, *this);
}

std::vector<std::string> LanguageModelOptions::problems() const {
  std::vector<std::string> found;
  if (decoder_embed_dim % decoder_attention_heads != 0) {
    found.push_back(
        fmt::format("--decoder-embed-dim {} is not divisible by --decoder-attention-heads {}",
                    decoder_embed_dim,
                    decoder_attention_heads));
  }
  decoder_drop.check(found, "decoder", decoder_layers);
  const bool any_width = pos == nn::PositionKind::kLearned || pos == nn::PositionKind::kNone;
  if (!any_width && (decoder_embed_dim % 2 != 0 || decoder_embed_dim < 4)) {
    found.push_back(
        fmt::format("--decoder-embed-dim {}: --pos {} needs an even width of at least 4; --pos "
                    "learned accepts any",
                    decoder_embed_dim,
                    enum_name(nn::kPositionKindNames, pos)));
  }
  return found;
}

}  // namespace phraseq

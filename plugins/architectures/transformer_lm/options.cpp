#include "plugins/architectures/transformer_lm/options.h"

#include "core/nn/parameters/size_limits.h"

namespace phraseq::transformer_lm {
namespace {

void describe_sizes(OptionTable& table, LanguageModelOptions& o) {
  table.field("decoder-embed-dim", o.decoder_embed_dim, "Embedding dimension.").in(1, nn::kMaxSize);
  table
      .field("decoder-ffn-embed-dim",
             o.decoder_ffn_embed_dim,
             "Hidden dimension of the feed-forward layers.")
      .in(1, nn::kMaxSize);
  table.field("decoder-layers", o.decoder_layers, "Number of layers.").in(1, nn::kMaxSize);
  table.field("decoder-attention-heads", o.decoder_attention_heads, "Number of attention heads.")
      .in(1, nn::kMaxSize);
}

void describe_embeddings_and_norms(OptionTable& table, LanguageModelOptions& o) {
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
  table.field(
      "no-decoder-final-norm",
      o.no_decoder_final_norm,
      "With --decoder-normalize-before: leave out the layer normalization after the last layer.");
}

}  // namespace

LanguageModelOptions::LanguageModelOptions() {
  nn::use_fairseq_conventions(*this);
  set_sizes(512, 2048, 8, 6);
  set_dropout(0.1, 0.0, 0.0);
}

void LanguageModelOptions::describe(OptionTable& table) {
  describe_sizes(table, *this);
  describe_dropout(table);
  decoder_drop.describe(table, "decoder");
  describe_embeddings_and_norms(table, *this);
  describe_layers(table);
  table
      .field("max-target-positions",
             max_positions,
             "Maximum number of tokens that the model reads; 0 = --tokens-per-sample of the task, "
             "or 1024 for other tasks. The <s> of --add-bos-token counts only with --pos learned.")
      .in(0, nn::kMaxLength);
}

std::vector<std::string> LanguageModelOptions::problems() const {
  std::vector<std::string> found;
  check_decoder(found);
  return found;
}

}  // namespace phraseq::transformer_lm

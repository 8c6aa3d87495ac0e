#include "core/nn/transformer/transformer_options.h"

#include <string_view>

#include <fmt/format.h>

#include "core/nn/functional/activation_option.h"
#include "core/nn/parameters/size_limits.h"
#include "core/options/enum_name.h"

namespace phraseq::nn {
namespace {

void describe_sizes(OptionTable& table, TransformerOptions& o) {
  table.field("encoder-embed-dim", o.encoder_embed_dim, "Encoder embedding dimension.")
      .in(1, kMaxSize);
  table
      .field("encoder-ffn-embed-dim",
             o.encoder_ffn_embed_dim,
             "Hidden dimension of the encoder's feed-forward layers.")
      .in(1, kMaxSize);
  table.field("encoder-layers", o.encoder_layers, "Number of encoder layers.").in(0, kMaxSize);
  table
      .field("encoder-attention-heads",
             o.encoder_attention_heads,
             "Number of encoder attention heads.")
      .in(1, kMaxSize);
  table
      .field(
          "decoder-embed-dim",
          o.decoder_embed_dim,
          "Decoder embedding dimension. In train, it follows --encoder-embed-dim if only that is "
          "given, except with presets of fairseq that set both.")
      .in(1, kMaxSize);
  table
      .field("decoder-ffn-embed-dim",
             o.decoder_ffn_embed_dim,
             "Hidden dimension of the decoder's feed-forward layers. It follows "
             "--encoder-ffn-embed-dim in the same way.")
      .in(1, kMaxSize);
  table.field("decoder-layers", o.decoder_layers, "Number of decoder layers.").in(1, kMaxSize);
  table
      .field("decoder-attention-heads",
             o.decoder_attention_heads,
             "Number of decoder attention heads.")
      .in(1, kMaxSize);
}

void describe_embeddings(OptionTable& table, TransformerOptions& o) {
  table.field(
      "share-all-embeddings",
      o.share_all_embeddings,
      "Share encoder, decoder and output embeddings (requires a joined dictionary and equal "
      "embedding dimensions).");
  table.field("share-decoder-input-output-embed",
              o.share_decoder_input_output_embed,
              "Share decoder input and output embeddings.");
  table.field("no-scale-embedding",
              o.no_scale_embedding,
              "Do not scale embeddings by sqrt(embedding dimension).");
  table.field(
      "pos",
      o.pos,
      kPositionKindNames,
      "Positional embeddings: one of four sinusoidal variants (marian is that of Hugging Face's "
      "MarianMT; Marian itself uses tensor2tensor), learned, or none.");
  table.field(
      "embed-norm",
      o.embed_norm,
      kEmbeddingNormNames,
      "Layer normalization of the sum of token and positional embeddings: none, or after or "
      "before dropout.");
  table
      .field("max-source-positions",
             o.max_source_positions,
             "Maximum number of tokens in a source sentence.")
      .in(1, kMaxLength);
  table
      .field("max-target-positions",
             o.max_target_positions,
             "Maximum number of tokens in a target sentence.")
      .in(1, kMaxLength);
}

void describe_normalization(OptionTable& table, TransformerOptions& o) {
  table.field(
      "encoder-normalize-before",
      o.encoder_normalize_before,
      "Apply layer normalization before each encoder sub-layer, and once after the last layer.");
  table.field(
      "decoder-normalize-before",
      o.decoder_normalize_before,
      "Apply layer normalization before each decoder sub-layer, and once after the last layer.");
}

void describe_switches(OptionTable& table, TransformerOptions& o) {
  table.field("attn-bias",
              o.attn_bias,
              "Use biases in the query, key, value and output projections of attention.");
  table.field("ffn-bias1", o.ffn_bias1, "Use a bias in the first feed-forward projection.");
  table.field("ffn-bias2", o.ffn_bias2, "Use a bias in the second feed-forward projection.");
  table.field("out-bias", o.out_bias, "Use a bias in the output projection.");
  table.field("start-token", o.start_token, kStartTokenNames, "First input token of the decoder.");
  table.field("source-bos", o.source_bos, "Start source sentences with <s>.");
  table.field("source-eos",
              o.source_eos,
              "End source sentences with </s>; no: add </s> only to a source that would otherwise "
              "be empty.");
  table.field("forbid-outputs", o.forbid_outputs, "Exclude <pad> and <s> from the output softmax.");
  table.field("init",
              o.init,
              kInitializationStyleNames,
              "Initialization of the parameters, as in the named toolkit.");
}

/// The options of a stack that are checked.
struct Stack {
  std::string_view name;
  int64_t width;
  int64_t heads;
};

void check_stack(std::vector<std::string>& found, const Stack& stack, PositionKind pos) {
  if (stack.width % stack.heads != 0) {
    found.push_back(fmt::format("--{0}-embed-dim {1} is not divisible by --{0}-attention-heads {2}",
                                stack.name,
                                stack.width,
                                stack.heads));
  }
  const bool any_width = pos == PositionKind::kLearned || pos == PositionKind::kNone;
  if (any_width || (stack.width % 2 == 0 && stack.width >= 4))
    return;
  found.push_back(fmt::format(
      "--{}-embed-dim {}: --pos {} needs an even width of at least 4; --pos learned accepts any",
      stack.name,
      stack.width,
      enum_name(kPositionKindNames, pos)));
}

}  // namespace

void TransformerOptions::describe(OptionTable& table) {
  describe_sizes(table, *this);
  describe_dropout(table);
  encoder_drop.describe(table, "encoder");
  decoder_drop.describe(table, "decoder");
  describe_embeddings(table, *this);
  describe_normalization(table, *this);
  describe_layers(table);
  describe_switches(table, *this);
}

void TransformerOptions::describe_dropout(OptionTable& table) {
  table.field("dropout", dropout, "Dropout probability.").in(0.0, 0.99);
  table.field("attention-dropout", attention_dropout, "Dropout probability for attention weights.")
      .in(0.0, 0.99)
      .alias("attn-dropout");
  table
      .field(
          "activation-dropout", activation_dropout, "Dropout probability after activation in FFN.")
      .in(0.0, 0.99)
      .alias("act-dropout")
      .alias("relu-dropout");
}

void TransformerOptions::describe_layers(OptionTable& table) {
  table
      .field("activation-fn",
             activation_fn,
             kFeedForwardActivationNames,
             "Activation function of the feed-forward layers; gelu is the exact (erf) form.")
      .alias("activation");
  table.field("norm-eps", norm_eps, "Epsilon of layer normalization.").in(1e-12, 1e-2);
}

std::vector<std::string> TransformerOptions::problems() const {
  std::vector<std::string> found;
  check_encoder(found);
  check_decoder(found);
  if (share_all_embeddings && encoder_embed_dim != decoder_embed_dim) {
    found.push_back(
        "--share-all-embeddings needs --encoder-embed-dim and --decoder-embed-dim to be equal; "
        "--share-all-embeddings no accepts any");
  }
  return found;
}

void TransformerOptions::check_encoder(std::vector<std::string>& found) const {
  check_stack(found, {"encoder", encoder_embed_dim, encoder_attention_heads}, pos);
  encoder_drop.check(found, "encoder", encoder_layers);
}

void TransformerOptions::check_decoder(std::vector<std::string>& found) const {
  check_stack(found, {"decoder", decoder_embed_dim, decoder_attention_heads}, pos);
  decoder_drop.check(found, "decoder", decoder_layers);
}

bool TransformerOptions::leaves_out(const std::string& parameter) const {
  return encoder_drop.leaves_out(parameter, "encoder", encoder_layers) ||
         decoder_drop.leaves_out(parameter, "decoder", decoder_layers);
}

void TransformerOptions::set_sizes(int64_t model, int64_t ffn, int64_t heads, int64_t layers) {
  encoder_embed_dim = decoder_embed_dim = model;
  encoder_ffn_embed_dim = decoder_ffn_embed_dim = ffn;
  encoder_attention_heads = decoder_attention_heads = heads;
  encoder_layers = decoder_layers = layers;
}

void TransformerOptions::set_dropout(double residual, double attention, double activation) {
  dropout = residual;
  attention_dropout = attention;
  activation_dropout = activation;
}

void use_fairseq_conventions(TransformerOptions& o) {
  o.encoder_normalize_before = o.decoder_normalize_before = false;
  o.share_all_embeddings = o.share_decoder_input_output_embed = o.no_scale_embedding = false;
  o.activation_fn = Activation::kRelu;
  o.embed_norm = EmbeddingNorm::kNo;
  o.pos = PositionKind::kFairseq;
  o.norm_eps = 1e-5;
  o.attn_bias = o.ffn_bias1 = o.ffn_bias2 = true;
  o.out_bias = false;
  o.start_token = StartToken::kEos;
  o.source_bos = o.forbid_outputs = false;
  o.source_eos = true;
  o.init = InitializationStyle::kFairseq;
  o.max_source_positions = o.max_target_positions = 1024;
}

void use_neutron_conventions(TransformerOptions& o) {
  use_fairseq_conventions(o);
  o.share_decoder_input_output_embed = true;
  o.embed_norm = EmbeddingNorm::kAfterDropout;
  o.pos = PositionKind::kInterleaved;
  o.norm_eps = 1e-6;
  o.attn_bias = o.ffn_bias2 = false;
  o.out_bias = true;
  o.start_token = StartToken::kBos;
  o.source_bos = true;
  o.init = InitializationStyle::kNeutron;
}

void use_tensor2tensor_conventions(TransformerOptions& o) {
  use_fairseq_conventions(o);
  o.encoder_normalize_before = o.decoder_normalize_before = true;
  o.share_all_embeddings = true;
  o.pos = PositionKind::kTensor2Tensor;
  o.norm_eps = 1e-6;
  o.attn_bias = false;
  o.init = InitializationStyle::kTensor2Tensor;
}

void use_tiny_size(TransformerOptions& o) {
  o.encoder_normalize_before = o.decoder_normalize_before = true;
  o.set_sizes(128, 256, 4, 4);
  o.set_dropout(0.2, 0.0, 0.0);
}

}  // namespace phraseq::nn

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/nn/initializer.h"
#include "core/nn/kernels/activation.h"
#include "core/nn/parameters/left_out_parameters.h"
#include "core/nn/positions.h"
#include "core/nn/transformer/embedding_norm.h"
#include "core/nn/transformer/layer_drop/layer_drop.h"
#include "core/options/option_table.h"

namespace phraseq::nn {

/// The decoder's first input token.
enum class StartToken { kEos, kBos };

inline constexpr EnumName<StartToken> kStartTokenNames[] = {{"eos", StartToken::kEos},
                                                            {"bos", StartToken::kBos}};

/// The options of every Transformer-like architecture: sizes under fairseq's names, and all
/// switches in which the published baselines differ. Defaults are those of fairseq 0.12's
/// `transformer`.
struct PHRASEQ_API TransformerOptions : Options, LeavesOutParameters {
  int64_t encoder_embed_dim = 512;
  int64_t encoder_ffn_embed_dim = 2048;
  int64_t encoder_layers = 6;
  int64_t encoder_attention_heads = 8;
  int64_t decoder_embed_dim = 512;
  int64_t decoder_ffn_embed_dim = 2048;
  int64_t decoder_layers = 6;
  int64_t decoder_attention_heads = 8;
  bool encoder_normalize_before = false;
  bool decoder_normalize_before = false;

  double dropout = 0.1;
  double attention_dropout = 0.0;
  double activation_dropout = 0.0;
  LayerDrop encoder_drop;
  LayerDrop decoder_drop;

  bool share_all_embeddings = false;
  bool share_decoder_input_output_embed = false;
  bool no_scale_embedding = false;

  Activation activation_fn = Activation::kRelu;
  EmbeddingNorm embed_norm = EmbeddingNorm::kNo;
  PositionKind pos = PositionKind::kFairseq;
  double norm_eps = 1e-5;
  bool attn_bias = true;
  bool ffn_bias1 = true;
  bool ffn_bias2 = true;
  bool out_bias = false;

  StartToken start_token = StartToken::kEos;
  bool source_bos = false;
  bool source_eos = true;
  bool forbid_outputs = false;
  InitializationStyle init = InitializationStyle::kFairseq;

  int64_t max_source_positions = 1024;
  int64_t max_target_positions = 1024;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  /// Whether the parameter belongs to a layer that --encoder-layers-to-keep or
  /// --decoder-layers-to-keep omits.
  bool leaves_out(const std::string& parameter) const override;

  /// Sets widths, layers and heads of both stacks.
  void set_sizes(int64_t model, int64_t ffn, int64_t heads, int64_t layers);
  void set_dropout(double residual, double attention, double activation);

 protected:
  void describe_dropout(OptionTable& table);
  /// Describes the activation of the feed-forward layers and the epsilon of layer normalization.
  void describe_layers(OptionTable& table);
  /// Adds the problems of one stack.
  void check_encoder(std::vector<std::string>& found) const;
  void check_decoder(std::vector<std::string>& found) const;
};

/// Sets every switch except the sizes as in one of three published code bases: fairseq, Neutron and
/// Tensor2Tensor.
PHRASEQ_API void use_fairseq_conventions(TransformerOptions& options);
PHRASEQ_API void use_neutron_conventions(TransformerOptions& options);
PHRASEQ_API void use_tensor2tensor_conventions(TransformerOptions& options);

/// The settings that the tiny presets share: 128/256, 4 heads, 4+4 layers; dropout 0.2, 0, 0;
/// pre-norm, which learns within a few hundred updates.
PHRASEQ_API void use_tiny_size(TransformerOptions& options);

}  // namespace phraseq::nn

#include "core/convert/marian/marian_model_yml.h"

#include <string_view>

#include <fmt/format.h>

namespace phraseq {
namespace {

/// Marian's settings without a counterpart in phraseq.
constexpr const char* kUnused =
    "transformer-guided-alignment-layer: last\n"
    "transformer-pool: false\n"
    "output-omit-bias: false\n"
    "input-types: []\n"
    "special-vocab: []\n"
    "right-left: false\n"
    "ulr: false\n"
    "lemma-dim-emb: 0\n"
    "layer-normalization: false\n"
    "skip: false\n";

const char* yes_or_no(bool value) { return value ? "true" : "false"; }

std::string embedding_operations(const ExportModel& model) {
  const std::string norm = model.choice("embed_norm");
  return norm == "no" ? "d" : norm == "after-dropout" ? "dn" : "nd";
}

}  // namespace

std::string marian_model_yml(const ExportModel& model,
                             size_t source_symbols,
                             size_t target_symbols) {
  const bool is_pre_norm = model.is_on("encoder_normalize_before");
  const bool is_recurrent = model.architecture() == "ssru_transformer";
  const bool shares_all = model.is_on("share_all_embeddings");
  const int64_t hidden = model.size("encoder_ffn_embed_dim");
  const int64_t decoder_hidden = model.size("decoder_ffn_embed_dim");
  std::string text;
  const auto add = [&](std::string_view name, const auto& value) {
    text += fmt::format("{}: {}\n", name, value);
  };
  add("type", "transformer");
  add("dim-vocabs", fmt::format("[{}, {}]", source_symbols, target_symbols));
  add("dim-emb", model.size("encoder_embed_dim"));
  add("enc-depth", model.size("encoder_layers"));
  add("dec-depth", model.size("decoder_layers"));
  add("tied-embeddings", yes_or_no(!shares_all && model.is_on("share_decoder_input_output_embed")));
  add("tied-embeddings-src", "false");
  add("tied-embeddings-all", yes_or_no(shares_all));
  add("transformer-heads", model.size("encoder_attention_heads"));
  add("transformer-dim-ffn", hidden);
  add("transformer-decoder-dim-ffn", decoder_hidden == hidden ? 0 : decoder_hidden);
  add("transformer-ffn-depth", 2);
  add("transformer-decoder-ffn-depth", 0);
  add("transformer-ffn-activation", model.choice("activation_fn"));
  add("transformer-preprocess", is_pre_norm ? "n" : "\"\"");
  add("transformer-postprocess", is_pre_norm ? "da" : "dan");
  add("transformer-postprocess-emb", embedding_operations(model));
  add("transformer-postprocess-top", is_pre_norm ? "n" : "\"\"");
  add("transformer-decoder-autoreg", is_recurrent ? "rnn" : "self-attention");
  add("dec-cell", is_recurrent ? "ssru" : "gru");
  add("transformer-no-projection", "false");
  add("transformer-rnn-projection", yes_or_no(is_recurrent && model.is_on("ssru_projection")));
  add("transformer-tied-layers", "[]");
  add("transformer-train-position-embeddings", "false");
  add("transformer-disable-position-embeddings", yes_or_no(model.choice("pos") == "none"));
  return text + kUnused;
}

}  // namespace phraseq

#include "plugins/architectures/transformer_lm/presets.h"

#include <string>
#include <utility>

#include "plugins/architectures/transformer_lm/options.h"

namespace phraseq::transformer_lm {
namespace {

/// The setting of fairseq's function base_lm_architecture; the plain `transformer_lm` is post-norm.
void pre_norm(LanguageModelOptions& o) {
  o = LanguageModelOptions();
  o.decoder_normalize_before = true;
}

/// The decoder of transformer_tiny.
void tiny(LanguageModelOptions& o) {
  o = LanguageModelOptions();
  nn::use_tiny_size(o);
  o.share_decoder_input_output_embed = true;
}

void big(LanguageModelOptions& o) {
  pre_norm(o);
  o.set_sizes(1024, 4096, 16, 12);
}

void gbw(LanguageModelOptions& o) {
  big(o);
  o.decoder_embed_dim = 512;
  o.set_dropout(0.1, 0.1, 0.0);
  o.no_decoder_final_norm = true;
}

/// The OpenAI models of 2018 and 2019.
void gpt(LanguageModelOptions& o) {
  pre_norm(o);
  o.set_sizes(768, 3072, 12, 12);
  o.set_dropout(0.1, 0.1, 0.0);
  o.activation_fn = nn::Activation::kGelu;
}

template <int64_t width, int64_t ffn, int64_t heads, int64_t layers>
void gpt2(LanguageModelOptions& o) {
  gpt(o);
  o.set_sizes(width, ffn, heads, layers);
}

template <int64_t width, int64_t heads, int64_t layers>
void gpt3(LanguageModelOptions& o) {
  pre_norm(o);
  o.set_sizes(width, 4 * width, heads, layers);
  o.set_dropout(0.0, 0.0, 0.0);
  o.activation_fn = nn::Activation::kGelu;
  o.pos = nn::PositionKind::kLearned;
  o.share_decoder_input_output_embed = true;
}

/// An architecture of fairseq, with fairseq's training configuration.
Preset fairseq_preset(std::string name,
                      std::string description,
                      void (*apply)(LanguageModelOptions&),
                      TrainingDefaults training = fairseq_training()) {
  return preset(std::move(name), std::move(description), apply, std::move(training));
}

TrainingDefaults gpt3_training() {
  TrainingDefaults defaults = fairseq_training();
  defaults.ffn_factor = 4;
  return defaults;
}

}  // namespace

std::vector<Preset> language_model_presets() {
  return {
      fairseq_preset(
          "transformer_lm_big", "1024/4096, 16 heads, 12 layers, pre-norm, dropout 0.1, 0, 0", big),
      fairseq_preset("transformer_lm_gbw",
                     "512/4096, 16 heads, 12 layers, pre-norm, dropout 0.1, 0.1, 0, no final norm",
                     gbw),
      fairseq_preset("transformer_lm_gpt", "768/3072, 12 heads, 12 layers, pre-norm, gelu", gpt),
      fairseq_preset("transformer_lm_gpt2_small",
                     "1024/4096, 16 heads, 24 layers, pre-norm, gelu",
                     gpt2<1024, 4096, 16, 24>),
      fairseq_preset("transformer_lm_gpt2_tiny",
                     "64/64, 1 head, 2 layers, pre-norm, gelu",
                     gpt2<64, 64, 1, 2>),
      fairseq_preset("transformer_lm_gpt2_medium",
                     "1280/5120, 20 heads, 36 layers, pre-norm, gelu",
                     gpt2<1280, 5120, 20, 36>),
      fairseq_preset("transformer_lm_gpt2_big",
                     "1600/6400, 25 heads, 48 layers, pre-norm, gelu",
                     gpt2<1600, 6400, 25, 48>),
      fairseq_preset(
          "transformer_lm_gpt3_small",
          "768/3072, 12 heads, 12 layers, pre-norm, gelu, learned positions, shared embeddings, "
          "no dropout",
          gpt3<768, 12, 12>,
          gpt3_training()),
      fairseq_preset("transformer_lm_gpt3_medium",
                     "1024/4096, 16 heads, 24 layers, otherwise as transformer_lm_gpt3_small",
                     gpt3<1024, 16, 24>,
                     gpt3_training()),
      fairseq_preset("transformer_lm_gpt3_large",
                     "1536/6144, 16 heads, 24 layers, otherwise as transformer_lm_gpt3_small",
                     gpt3<1536, 16, 24>,
                     gpt3_training()),
      preset("transformer_lm_tiny",
             "128/256, 4 heads, 4 layers, pre-norm, shared embeddings, dropout 0.2, 0, 0",
             tiny,
             small_corpus_training()),
  };
}

}  // namespace phraseq::transformer_lm

#include "plugins/architectures/transformer/presets.h"

#include <cstdint>
#include <string>
#include <utility>

#include "core/nn/transformer/transformer_options.h"

namespace phraseq::transformer {
namespace {

using nn::TransformerOptions;

struct Sizes {
  int64_t model, ffn, heads;
};
constexpr Sizes kSmall = {256, 1024, 4};
constexpr Sizes kIwslt = {512, 1024, 4};
constexpr Sizes kBase = {512, 2048, 8};
constexpr Sizes kBig = {1024, 4096, 16};

struct Dropout {
  double residual, attention, activation;
};

void set(TransformerOptions& o, Sizes sizes, Dropout dropout) {
  o.set_sizes(sizes.model, sizes.ffn, sizes.heads, 6);
  o.set_dropout(dropout.residual, dropout.attention, dropout.activation);
}

void set_fairseq(TransformerOptions& o, Sizes sizes, Dropout dropout) {
  nn::use_fairseq_conventions(o);
  set(o, sizes, dropout);
}

void base(TransformerOptions& o) { set_fairseq(o, kBase, {0.1, 0.1, 0.1}); }
void big(TransformerOptions& o) { set_fairseq(o, kBig, {0.3, 0.1, 0.1}); }
void small(TransformerOptions& o) { set_fairseq(o, kSmall, {0.1, 0.1, 0.1}); }
void tiny(TransformerOptions& o) {
  nn::use_fairseq_conventions(o);
  nn::use_tiny_size(o);
}

void iwslt(TransformerOptions& o) { set_fairseq(o, kIwslt, {0.1, 0.0, 0.0}); }
void wmt_en_de(TransformerOptions& o) { set_fairseq(o, kBase, {0.1, 0.0, 0.0}); }
void vaswani_wmt_en_de_big(TransformerOptions& o) { set_fairseq(o, kBig, {0.3, 0.0, 0.0}); }
void vaswani_wmt_en_fr_big(TransformerOptions& o) { set_fairseq(o, kBig, {0.1, 0.0, 0.0}); }
void wmt_en_de_big(TransformerOptions& o) { set_fairseq(o, kBig, {0.3, 0.1, 0.0}); }
void wmt_en_de_big_t2t(TransformerOptions& o) {
  set_fairseq(o, kBig, {0.3, 0.1, 0.1});
  o.encoder_normalize_before = o.decoder_normalize_before = true;
}

void xu_base(TransformerOptions& o) {
  nn::use_neutron_conventions(o);
  set(o, kBase, {0.1, 0.1, 0.1});
}

void xu_big(TransformerOptions& o) {
  nn::use_neutron_conventions(o);
  set(o, kBig, {0.3, 0.3, 0.3});
}

void nguyen_joty(TransformerOptions& o) {
  nn::use_tensor2tensor_conventions(o);
  set(o, kBase, {0.1, 0.1, 0.1});
}

/// Sharing and dropout as on the command line of the authors' scripts.
void nguyen_nguyen(TransformerOptions& o) {
  set_fairseq(o, kIwslt, {0.3, 0.1, 0.1});
  o.share_all_embeddings = true;
}

/// An architecture of fairseq, with fairseq's training configuration.
Preset fairseq_preset(std::string name,
                      const std::string& description,
                      void (*apply)(TransformerOptions&),
                      TrainingDefaults training = with_decoder_sizes(fairseq_training())) {
  return preset(std::move(name),
                description + " (fairseq 0.12's, with its label smoothing and schedule)",
                apply,
                std::move(training));
}

}  // namespace

std::vector<Preset> transformer_presets() {
  return {
      preset("transformer_base", "512/2048, 8 heads, 6+6 layers, dropout 0.1 everywhere", base),
      preset("transformer_big", "1024/4096, 16 heads, 6+6 layers, dropout 0.3, 0.1, 0.1", big),
      preset("transformer_small", "256/1024, 4 heads, 6+6 layers, dropout 0.1 everywhere", small),
      preset("transformer_tiny",
             "128/256, 4 heads, 4+4 layers, pre-norm, dropout 0.2, 0, 0",
             tiny,
             small_corpus_training()),
      preset("transformer_iwslt",
             "512/1024, 4 heads, 6+6 layers (fairseq 0.12's transformer_iwslt_de_en)",
             iwslt,
             with_decoder_sizes({})),
      fairseq_preset(
          "transformer_iwslt_de_en", "512/1024, 4 heads, 6+6 layers, dropout 0.1", iwslt),
      fairseq_preset("transformer_wmt_en_de",
                     "512/2048, 8 heads, 6+6 layers, dropout 0.1",
                     wmt_en_de,
                     fairseq_training()),
      fairseq_preset("transformer_vaswani_wmt_en_de_big",
                     "1024/4096, 16 heads, 6+6 layers, dropout 0.3",
                     vaswani_wmt_en_de_big),
      fairseq_preset("transformer_vaswani_wmt_en_fr_big",
                     "1024/4096, 16 heads, 6+6 layers, dropout 0.1",
                     vaswani_wmt_en_fr_big),
      fairseq_preset("transformer_wmt_en_de_big",
                     "1024/4096, 16 heads, 6+6 layers, dropout 0.3, 0.1, 0",
                     wmt_en_de_big),
      fairseq_preset("transformer_wmt_en_de_big_t2t",
                     "1024/4096, 16 heads, 6+6 layers, pre-norm, dropout 0.3, 0.1, 0.1",
                     wmt_en_de_big_t2t),
      preset("transformer_xu_base", "Baseline of Xu et al. 2020 (Neutron)", xu_base),
      preset("transformer_xu_big", "Big baseline of Xu et al. 2020, dropout 0.3", xu_big),
      preset("transformer_nguyen_joty",
             "Baseline of Nguyen & Joty 2018 (tensor2tensor 1.9)",
             nguyen_joty),
      preset("transformer_nguyen_nguyen",
             "Baseline of Nguyen & Nguyen 2022: fairseq's transformer_iwslt_de_en with the options "
             "of the authors' scripts, shared embeddings and dropout 0.3, 0.1, 0.1",
             nguyen_nguyen,
             with_decoder_sizes({})),
  };
}

}  // namespace phraseq::transformer

#include "plugins/architectures/phrasal_attention/presets.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "plugins/architectures/phrasal_attention/options.h"

namespace phraseq::phrasal {
namespace {

struct Model {
  const char *type, *method, *ngrams;
};

/// Tables 1 and 2 of the paper.
constexpr Model kPaperModels[] = {
    {"homogeneous", "convkv", "44"},
    {"homogeneous", "queryk", "44"},
    {"heterogeneous", "convkv", "12"},
    {"heterogeneous", "queryk", "12"},
    {"interleaved", "convkv", "12"},
    {"interleaved", "queryk", "12"},
    {"homogeneous", "convkv", "323"},
    {"homogeneous", "queryk", "323"},
    {"heterogeneous", "convkv", "123"},
    {"heterogeneous", "queryk", "123"},
};

constexpr Model kTinyModels[] = {
    {"homogeneous", "convkv", "22"},
    {"homogeneous", "queryk", "22"},
    {"heterogeneous", "convkv", "12"},
    {"heterogeneous", "queryk", "12"},
    {"interleaved", "convkv", "12"},
    {"interleaved", "queryk", "12"},
};

void set_all(PhrasalAttentionOptions& o, const Model& model) {
  nn::use_tensor2tensor_conventions(o);
  o.pa_type = model.type;
  o.pa_method = model.method;
  o.pa_ngrams = model.ngrams;
  o.pa_where = {"enc", "dec", "cross"};
  o.pa_out = "replace-o";
  o.pa_scale = "dhn";
  o.pa_conv_bias = false;
}

void base(PhrasalAttentionOptions& o) {
  o.set_sizes(512, 2048, 8, 6);
  o.set_dropout(0.1, 0.1, 0.1);
}

void tiny(PhrasalAttentionOptions& o) {
  o.set_sizes(128, 256, 4, 4);
  o.set_dropout(0.3, 0.0, 0.0);
}

Preset make(std::string name,
            std::string description,
            void (*sizes)(PhrasalAttentionOptions&),
            const Model& model) {
  const auto apply = [=](Options& options) {
    auto& o = dynamic_cast<PhrasalAttentionOptions&>(options);
    set_all(o, model);
    sizes(o);
  };
  return {std::move(name),
          std::move(description),
          apply,
          sizes == tiny ? small_corpus_training() : TrainingDefaults()};
}

std::string described(const Model& model) {
  return fmt::format("{} {}, n-grams {}", model.type, model.method, model.ngrams);
}

}  // namespace

std::vector<Preset> phrasal_attention_presets() {
  std::vector<Preset> presets = {make("phrasal_base",
                                      "512/2048, 8 heads, 6+6 layers, no phrases",
                                      base,
                                      {"homogeneous", "convkv", "8"})};
  for (const Model& model : kPaperModels) {
    presets.push_back(make(fmt::format("phrasal_{}_{}_{}", model.type, model.method, model.ngrams),
                           described(model),
                           base,
                           model));
  }
  presets.push_back(make("phrasal_tiny",
                         "128/256, 4 heads, 4+4 layers, no phrases",
                         tiny,
                         {"homogeneous", "convkv", "4"}));
  for (const Model& model : kTinyModels) {
    presets.push_back(
        make(fmt::format("phrasal_tiny_{}_{}_{}", model.type, model.method, model.ngrams),
             described(model) + ", 128/256",
             tiny,
             model));
  }
  return presets;
}

}  // namespace phraseq::phrasal

#include "plugins/architectures/phrasal_attention/presets.h"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/options/enum_name.h"
#include "plugins/architectures/phrasal_attention/options.h"

namespace phraseq::phrasal {
namespace {

struct Model {
  PhraseType type;
  PhraseMethod method;
  const char* ngrams;
};

/// Tables 1 and 2 of the paper.
constexpr Model kPaperModels[] = {
    {PhraseType::kHomogeneous, PhraseMethod::kConvKv, "44"},
    {PhraseType::kHomogeneous, PhraseMethod::kQueryK, "44"},
    {PhraseType::kHeterogeneous, PhraseMethod::kConvKv, "12"},
    {PhraseType::kHeterogeneous, PhraseMethod::kQueryK, "12"},
    {PhraseType::kInterleaved, PhraseMethod::kConvKv, "12"},
    {PhraseType::kInterleaved, PhraseMethod::kQueryK, "12"},
    {PhraseType::kHomogeneous, PhraseMethod::kConvKv, "323"},
    {PhraseType::kHomogeneous, PhraseMethod::kQueryK, "323"},
    {PhraseType::kHeterogeneous, PhraseMethod::kConvKv, "123"},
    {PhraseType::kHeterogeneous, PhraseMethod::kQueryK, "123"},
};

constexpr Model kTinyModels[] = {
    {PhraseType::kHomogeneous, PhraseMethod::kConvKv, "22"},
    {PhraseType::kHomogeneous, PhraseMethod::kQueryK, "22"},
    {PhraseType::kHeterogeneous, PhraseMethod::kConvKv, "12"},
    {PhraseType::kHeterogeneous, PhraseMethod::kQueryK, "12"},
    {PhraseType::kInterleaved, PhraseMethod::kConvKv, "12"},
    {PhraseType::kInterleaved, PhraseMethod::kQueryK, "12"},
};

void set_all(PhrasalAttentionOptions& o, const Model& model) {
  nn::use_tensor2tensor_conventions(o);
  o.pa_type = model.type;
  o.pa_method = model.method;
  o.pa_ngrams = model.ngrams;
  o.pa_where = {"enc", "dec", "cross"};
  o.pa_out = ConvolutionPlace::kReplaceOutput;
  o.pa_scale = PhraseScale::kWidthTimesLength;
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

std::string_view type_of(const Model& model) { return enum_name(kPhraseTypeNames, model.type); }
std::string_view method_of(const Model& model) {
  return enum_name(kPhraseMethodNames, model.method);
}

std::string described(const Model& model) {
  return fmt::format("{} {}, n-grams {}", type_of(model), method_of(model), model.ngrams);
}

}  // namespace

std::vector<Preset> phrasal_attention_presets() {
  std::vector<Preset> presets = {make("phrasal_base",
                                      "512/2048, 8 heads, 6+6 layers, no phrases",
                                      base,
                                      {PhraseType::kHomogeneous, PhraseMethod::kConvKv, "8"})};
  for (const Model& model : kPaperModels) {
    presets.push_back(
        make(fmt::format("phrasal_{}_{}_{}", type_of(model), method_of(model), model.ngrams),
             described(model),
             base,
             model));
  }
  presets.push_back(make("phrasal_tiny",
                         "128/256, 4 heads, 4+4 layers, no phrases",
                         tiny,
                         {PhraseType::kHomogeneous, PhraseMethod::kConvKv, "4"}));
  for (const Model& model : kTinyModels) {
    presets.push_back(
        make(fmt::format("phrasal_tiny_{}_{}_{}", type_of(model), method_of(model), model.ngrams),
             described(model) + ", 128/256",
             tiny,
             model));
  }
  return presets;
}

}  // namespace phraseq::phrasal

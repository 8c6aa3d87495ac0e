#include "core/analysis/attention_heads.h"

#include <algorithm>

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "core/analysis/attention.h"
#include "core/analysis/recorded_pass.h"
#include "core/base/error.h"

namespace phraseq::analysis {
namespace {

/// A kind of attention in the names of heads, and where its weights are recorded.
struct RecordedAttention {
  std::string_view name;
  AttentionPlace place;
  bool of_phrases;
};

constexpr RecordedAttention kRecorded[] = {{"encoder", AttentionPlace::kEncoderSelf, false},
                                           {"encoder-phrases", AttentionPlace::kEncoderSelf, true},
                                           {"decoder", AttentionPlace::kDecoderSelf, false},
                                           {"cross", AttentionPlace::kCross, false},
                                           {"cross-phrases", AttentionPlace::kCross, true}};

/// The longest n-grams that phrase-based attention can have.
constexpr int64_t kLongestNgram = 100;

/// A sentence of unknown words with as many tokens, including </s>, as the longest n-grams have, or
/// as many as the model accepts.
std::vector<int64_t> made_up_sentence(int64_t max_tokens) {
  const int64_t tokens = std::min(kLongestNgram, max_tokens);
  std::vector<int64_t> sentence(static_cast<size_t>(tokens - 1), kUnk);
  sentence.push_back(kEos);
  return sentence;
}

/// A made-up sentence pair without a tree.
Example made_up_example(const TranslationModel& translation_model) {
  Example example;
  example.source = made_up_sentence(translation_model.max_source_tokens());
  example.target = made_up_sentence(translation_model.model->max_target_positions());
  example.extras[kTreeExtra] = {};
  return example;
}

using Parameters = std::vector<nn::FlatParameters::Entry>;

/// The matrices [out, blocks · out] that read the outputs of a module's heads, which are adjacent
/// in each block: the output projection and, in interleaved phrase-based attention, the projection
/// of the phrases or, in place of both, the one that reads a phrase and a word.
std::vector<at::Tensor> output_weights(const Parameters& parameters, const std::string& module) {
  const auto find = [&](std::initializer_list<std::string_view> names) {
    std::vector<at::Tensor> found;
    for (const auto& entry : parameters) {
      for (const std::string_view name : names) {
        if (entry.name == fmt::format("{}.{}.weight", module, name))
          found.push_back(entry.parameter);
      }
    }
    return found;
  };
  const auto plain = find({"out_proj", "phrase_out_proj"});
  return plain.empty() ? find({"interleave_proj"}) : plain;
}

bool can_be_divided(const std::vector<at::Tensor>& weights, int64_t heads) {
  return !weights.empty() && std::all_of(weights.begin(), weights.end(), [&](const auto& weight) {
    return weight.dim() == 2 && weight.size(0) % heads == 0 && weight.size(1) % weight.size(0) == 0;
  });
}

bool gives_weight(const AttentionWeights& weights, int64_t head, size_t query_kind, size_t kind) {
  for (int64_t query = 0; query < weights.queries; ++query) {
    for (int64_t key = 0; key < weights.keys; ++key) {
      if (weights.at(query_kind, head, query, kind, key) > 0)
        return true;
    }
  }
  return false;
}

/// The lengths of the n-grams to which a head assigns weight.
std::set<int64_t> ngrams_of(const AttentionWeights& weights, int64_t head) {
  std::set<int64_t> lengths;
  for (size_t query_kind = 0; query_kind < weights.query_ngrams.size(); ++query_kind) {
    for (size_t kind = 0; kind < weights.key_ngrams.size(); ++kind) {
      if (gives_weight(weights, head, query_kind, kind))
        lengths.insert(weights.key_ngrams[kind]);
    }
  }
  return lengths;
}

}  // namespace

std::vector<HeadsOfModule> attention_heads(const TranslationModel& translation_model,
                                           nn::Precision precision) {
  const RecordedSentence sentence =
      recorded_pass(translation_model, made_up_example(translation_model), precision);
  std::vector<HeadsOfModule> modules;
  for (const auto& [name, place, of_phrases] : kRecorded) {
    const auto layers =
        of_phrases ? phrase_attention_weights(sentence, place) : attention_weights(sentence, place);
    for (const AttentionWeights& weights : layers) {
      if (!can_be_divided(output_weights(translation_model.parameters->entries(), weights.module),
                          weights.heads))
        continue;
      HeadsOfModule& module = modules.emplace_back();
      module.attention = name;
      module.layer = weights.layer;
      module.module = weights.module;
      for (int64_t head = 0; head < weights.heads; ++head)
        module.ngrams.push_back(ngrams_of(weights, head));
    }
  }
  if (modules.empty()) {
    throw DataError("the model has no attention heads that can be switched off",
                    "Heads are those of attention with an output projection.");
  }
  return modules;
}

void switch_off_heads(TranslationModel& translation_model,
                      const std::vector<HeadName>& heads,
                      nn::Precision precision) {
  const auto modules = attention_heads(translation_model, precision);
  const at::NoGradGuard no_gradients;
  translation_model.parameters = std::make_unique<nn::FlatParameters>(*translation_model.model,
                                                                      /*with_gradients=*/false);
  for (const HeadName& name : heads) {
    const HeadsOfModule& module = module_of(modules, name, translation_model.path);
    for (const at::Tensor& weight :
         output_weights(translation_model.parameters->entries(), module.module)) {
      const int64_t blocks = weight.size(1) / weight.size(0);
      weight
          .unflatten(1, {blocks, module.heads(), -1})  // [out, blocks, heads, head_dim]
          .select(2, name.head - 1)
          .zero_();
    }
  }
  translation_model.parameters->refresh_copy(precision);
}

}  // namespace phraseq::analysis

#include "core/convert/hf/hf_config.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/checkpoint/fairseq/fairseq_options.h"
#include "core/convert/unsupported_settings.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr int64_t kMaxSize = 65536;

/// Hugging Face's name and ours.
constexpr std::array<std::pair<std::string_view, const char*>, 4> kActivations = {
    {{"swish", "swish"}, {"silu", "swish"}, {"relu", "relu"}, {"gelu", "gelu"}}};

/// The only item of a list, or the value itself.
json single(const json& value) {
  return value.is_array() && value.size() == 1 ? value.front() : value;
}

}  // namespace

HfConfig::HfConfig(const json& config, const std::string& path, const std::string& model_type)
    : config_(config), entry_(config, path), path_(path) {
  entry_.object();
  if (value("model_type") != model_type)
    entry_.at("model_type")
        .refuse(fmt::format("\"{}\": other models cannot be imported", model_type));
}

json HfConfig::number(const char* name, const json& otherwise) const {
  if (!entry_.has(name) || entry_.at(name).is_null())
    return otherwise;
  entry_.at(name).number();
  return config_.at(name);
}

int64_t HfConfig::size(const char* name, int64_t least) const {
  return entry_.at(name).whole_number(least, kMaxSize);
}

json HfConfig::common_options(const char* default_activation, bool scales_by_default) {
  json options = with_fairseq_conventions(
      {{"encoder_embed_dim", size("d_model")},
       {"decoder_embed_dim", size("d_model")},
       {"encoder_ffn_embed_dim", size("encoder_ffn_dim")},
       {"encoder_attention_heads", size("encoder_attention_heads")},
       {"decoder_layers", size("decoder_layers")},
       {"decoder_ffn_embed_dim", size("decoder_ffn_dim")},
       {"decoder_attention_heads", size("decoder_attention_heads")},
       {"max_source_positions", number("max_position_embeddings", 1024)},
       {"max_target_positions", number("max_position_embeddings", 1024)},
       {"no_scale_embedding", !is_on("scale_embedding", scales_by_default)}});
  for (const char* name : {"dropout", "attention_dropout", "activation_dropout"})
    options[name] = number(name, 0.0);
  const json function = value("activation_function", default_activation);
  for (const auto& [theirs, ours] : kActivations) {
    if (function == theirs)
      options["activation_fn"] = ours;
  }
  if (!options.contains("activation_fn"))
    reject("activation_function");
  return options;
}

void HfConfig::reject(const char* name) {
  problems_.push_back(fmt::format("{} = {}", name, value(name).dump()));
}

void HfConfig::refuse_rejected() const { refuse_unsupported(problems_, path_); }

json with_generation_settings(json config, const json& generation, const std::string& place) {
  const JsonEntry entry(generation, place);
  entry.object();
  for (const char* name : {"decoder_start_token_id", "eos_token_id", "pad_token_id"}) {
    const json given = single(generation.value(name, json()));
    const json of_model = config.value(name, json());
    if (!given.is_null() && !of_model.is_null() && given != of_model)
      entry.at(name).refuse(
          fmt::format("{}, but config.json has {}", given.dump(), of_model.dump()));
    if (of_model.is_null() && !given.is_null())
      config[name] = given;
  }
  const auto take = [&](const char* name) {
    if (generation.contains(name))
      config[name] = generation[name];
  };
  for (const char* name : {"bad_words_ids", "forced_bos_token_id"}) take(name);
  for (const char* name : kTokenConstraints) take(name);
  return config;
}

}  // namespace phraseq

#include "core/convert/hf/hf_config.h"

#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/message_text.h"
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

constexpr std::array kSpecialIds = {"decoder_start_token_id", "eos_token_id", "pad_token_id"};

/// The longest sentence.
int64_t positions_of(const JsonEntry& entry) {
  constexpr const char* kName = "max_position_embeddings";
  const bool is_given = entry.has(kName) && !entry.at(kName).is_null();
  return is_given ? entry.at(kName).whole_number(1, std::numeric_limits<int32_t>::max()) : 1024;
}

}  // namespace

HfConfig::HfConfig(const json& config, const std::string& path, const std::string& model_type)
    : config_(config), entry_(config, path), path_(path) {
  entry_.object();
  const std::string found = entry_.at("model_type").text();
  if (found != model_type)
    throw UsageError(
        fmt::format("{}: models of the type '{}' cannot be imported", path, excerpt(found)),
        "Of Hugging Face's models, those of the types marian (MarianMT) and m2m_100 (M2M-100, "
        "NLLB) can.");
}

bool HfConfig::is_on(const char* name, bool otherwise) const {
  if (!entry_.has(name))
    return otherwise;
  return !entry_.at(name).is_null() && entry_.at(name).truth();
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
  const int64_t positions = positions_of(entry_);
  json options = with_fairseq_conventions(
      {{"encoder_embed_dim", size("d_model")},
       {"decoder_embed_dim", size("d_model")},
       {"encoder_ffn_embed_dim", size("encoder_ffn_dim")},
       {"encoder_attention_heads", size("encoder_attention_heads")},
       {"decoder_layers", size("decoder_layers")},
       {"decoder_ffn_embed_dim", size("decoder_ffn_dim")},
       {"decoder_attention_heads", size("decoder_attention_heads")},
       {"max_source_positions", positions},
       {"max_target_positions", positions},
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

json with_single_ids(json config) {
  for (const char* name : kSpecialIds) {
    if (config.is_object() && config.contains(name))
      config[name] = single(config[name]);
  }
  return config;
}

json with_generation_settings(json config, const json& generation, const std::string& place) {
  const JsonEntry entry(generation, place);
  const json special = with_single_ids(entry.object());
  for (const char* name : kSpecialIds) {
    const json given = special.value(name, json());
    const json of_model = config.value(name, json());
    if (!given.is_null() && !of_model.is_null() && given != of_model)
      throw FormatError(fmt::format("{}: {} is {}, but it is {} in config.json",
                                    place,
                                    name,
                                    given.dump(),
                                    of_model.dump()),
                        "Give two files of the same model.");
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

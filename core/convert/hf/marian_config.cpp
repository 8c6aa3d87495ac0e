#include "core/convert/hf/marian_config.h"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/convert/unsupported_settings.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr int64_t kLargestSize = 65536;

/// Our name and Hugging Face's.
constexpr std::array<std::pair<const char*, const char*>, 5> kSizes = {
    {{"encoder_ffn_embed_dim", "encoder_ffn_dim"},
     {"encoder_attention_heads", "encoder_attention_heads"},
     {"decoder_ffn_embed_dim", "decoder_ffn_dim"},
     {"decoder_layers", "decoder_layers"},
     {"decoder_attention_heads", "decoder_attention_heads"}}};

/// Settings that must be as good as absent.
constexpr std::array kMustBeOff = {"normalize_before",
                                   "normalize_embedding",
                                   "add_final_layer_norm",
                                   "forced_bos_token_id",
                                   "tie_encoder_decoder",
                                   "suppress_tokens",
                                   "begin_suppress_tokens"};

constexpr std::array<std::pair<std::string_view, const char*>, 4> kActivations = {
    {{"swish", "swish"}, {"silu", "swish"}, {"relu", "relu"}, {"gelu", "gelu"}}};

class ConfigReader {
 public:
  ConfigReader(const json& config, const std::string& path)
      : config_(config), entry_(config, path) {}

  json read() {
    if (config_.value("model_type", json()) != "marian")
      entry_.at("model_type").refuse("\"marian\": other models cannot be imported");
    const int64_t width = size("d_model");
    options_ = {{"encoder_embed_dim", width}, {"decoder_embed_dim", width}};
    for (const auto& [ours, theirs] : kSizes) options_[ours] = size(theirs);
    options_["encoder_layers"] = entry_.at("encoder_layers").whole_number(0, kLargestSize);
    options_["max_source_positions"] = options_["max_target_positions"] =
        number("max_position_embeddings", 1024);
    for (const char* name : {"dropout", "attention_dropout", "activation_dropout"})
      options_[name] = number(name, 0.0);
    options_["no_scale_embedding"] = config_.value("scale_embedding", json(false)) != true;
    const bool shared = config_.value("share_encoder_decoder_embeddings", json(true)) == true;
    options_["share_all_embeddings"] = shared;
    const bool tied = config_.value("tie_word_embeddings", json(true)) == true;
    options_["share_decoder_input_output_embed"] = tied;
    if (shared && !tied)
      reject("tie_word_embeddings");
    add_conventions();
    read_activation();
    check_rest();
    return options_;
  }

  const std::vector<std::string>& problems() const { return problems_; }

 private:
  int64_t size(const char* name) const { return entry_.at(name).whole_number(1, kLargestSize); }

  json number(const char* name, json fallback) const {
    if (!entry_.has(name) || entry_.at(name).is_null())
      return fallback;
    entry_.at(name).number();
    return config_.at(name);
  }

  /// What Marian's code has built in.
  void add_conventions() {
    options_.update({{"encoder_normalize_before", false},
                     {"decoder_normalize_before", false},
                     {"embed_norm", "no"},
                     {"pos", "marian"},
                     {"norm_eps", 1e-5},
                     {"attn_bias", true},
                     {"ffn_bias1", true},
                     {"ffn_bias2", true},
                     {"out_bias", true},
                     {"start_token", "bos"},
                     {"source_bos", false},
                     {"source_eos", true},
                     {"forbid_outputs", false},
                     {"init", "fairseq"}});
  }

  void reject(const char* name) {
    problems_.push_back(fmt::format("{} = {}", name, config_.at(name).dump()));
  }

  void read_activation() {
    const json function = config_.value("activation_function", json("gelu"));
    for (const auto& [theirs, ours] : kActivations) {
      if (function == theirs)
        options_["activation_fn"] = ours;
    }
    if (!options_.contains("activation_fn"))
      reject("activation_function");
  }

  void check_rest() {
    for (const char* name : kMustBeOff) {
      const json value = config_.value(name, json());
      if (!value.is_null() && value != false && value != json::array())
        reject(name);
    }
    if (config_.value("static_position_embeddings", json(true)) != true)
      reject("static_position_embeddings");
    const json banned = config_.value("bad_words_ids", json());
    if (!banned.is_null() &&
        banned != json::array({json::array({config_.value("pad_token_id", json())})}))
      reject("bad_words_ids");
  }

  const json& config_;
  JsonEntry entry_;
  json options_;
  std::vector<std::string> problems_;
};

}  // namespace

json options_from_marian_config(const json& config, const std::string& path) {
  JsonEntry(config, path).object();
  ConfigReader reader(config, path);
  json options = reader.read();
  refuse_unsupported(reader.problems(), path);
  return options;
}

HfSpecialIds special_ids_of(const json& config, const std::string& path) {
  const JsonEntry entry(config, path);
  HfSpecialIds ids{entry.at("eos_token_id").whole_number(),
                   entry.at("pad_token_id").whole_number()};
  const bool named = entry.has("decoder_start_token_id");
  ids.decoder_start = named ? entry.at("decoder_start_token_id").whole_number() : ids.pad;
  return ids;
}

}  // namespace phraseq

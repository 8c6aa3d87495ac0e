#include "core/convert/hf/m2m100_config.h"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/convert/unsupported_settings.h"
#include "core/io/json_reader.h"
#include "core/text/dictionary.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr int64_t kM2mLargestSize = 65536;

/// Our name and Hugging Face's.
constexpr std::array<std::pair<const char*, const char*>, 8> kM2mSizes = {
    {{"encoder_embed_dim", "d_model"},
     {"decoder_embed_dim", "d_model"},
     {"encoder_layers", "encoder_layers"},
     {"encoder_ffn_embed_dim", "encoder_ffn_dim"},
     {"encoder_attention_heads", "encoder_attention_heads"},
     {"decoder_layers", "decoder_layers"},
     {"decoder_ffn_embed_dim", "decoder_ffn_dim"},
     {"decoder_attention_heads", "decoder_attention_heads"}}};

constexpr std::array<std::pair<std::string_view, const char*>, 4> kM2mActivations = {
    {{"swish", "swish"}, {"silu", "swish"}, {"relu", "relu"}, {"gelu", "gelu"}}};

/// The ids that every model of this kind has, and ours.
constexpr std::array<std::pair<const char*, int64_t>, 4> kM2mSpecialIds = {
    {{"bos_token_id", kBos},
     {"pad_token_id", kPad},
     {"eos_token_id", kEos},
     {"decoder_start_token_id", kEos}}};

class M2m100Reader {
 public:
  M2m100Reader(const json& config, const std::string& path)
      : config_(config), entry_(config, path) {}

  json read() {
    if (config_.value("model_type", json()) != "m2m_100")
      entry_.at("model_type").refuse("\"m2m_100\"");
    for (const auto& [ours, theirs] : kM2mSizes)
      options_[ours] = entry_.at(theirs).whole_number(1, kM2mLargestSize);
    for (const char* name : {"dropout", "attention_dropout", "activation_dropout"})
      options_[name] = number(name, 0.0);
    options_["max_source_positions"] = options_["max_target_positions"] =
        number("max_position_embeddings", 1024);
    options_["no_scale_embedding"] = config_.value("scale_embedding", json(false)) != true;
    add_conventions();
    read_activation();
    check_rest();
    return options_;
  }

  const std::vector<std::string>& problems() const { return problems_; }

 private:
  json number(const char* name, json fallback) const {
    if (!entry_.has(name) || entry_.at(name).is_null())
      return fallback;
    entry_.at(name).number();
    return config_.at(name);
  }

  /// What the code of the model has built in (modeling_m2m_100.py).
  void add_conventions() {
    options_.update({{"encoder_normalize_before", true},
                     {"decoder_normalize_before", true},
                     {"share_all_embeddings", true},
                     {"share_decoder_input_output_embed", true},
                     {"embed_norm", "no"},
                     {"pos", "fairseq"},
                     {"norm_eps", 1e-5},
                     {"attn_bias", true},
                     {"ffn_bias1", true},
                     {"ffn_bias2", true},
                     {"out_bias", false},
                     {"start_token", "eos"},
                     {"source_bos", false},
                     {"forbid_outputs", false},
                     {"init", "fairseq"}});
  }

  void reject(const char* name) {
    problems_.push_back(fmt::format("{} = {}", name, config_.value(name, json()).dump()));
  }

  void read_activation() {
    const json function = config_.value("activation_function", json("relu"));
    for (const auto& [theirs, ours] : kM2mActivations) {
      if (function == theirs)
        options_["activation_fn"] = ours;
    }
    if (!options_.contains("activation_fn"))
      reject("activation_function");
  }

  void check_rest() {
    for (const auto& [name, id] : kM2mSpecialIds) {
      if (number(name, id) != id)
        reject(name);
    }
    if (config_.value("tie_word_embeddings", json(true)) != true)
      reject("tie_word_embeddings");
  }

  const json& config_;
  JsonEntry entry_;
  json options_;
  std::vector<std::string> problems_;
};

}  // namespace

json options_from_m2m100_config(const json& config, const std::string& path) {
  JsonEntry(config, path).object();
  M2m100Reader reader(config, path);
  json options = reader.read();
  refuse_unsupported(reader.problems(), path);
  return options;
}

}  // namespace phraseq

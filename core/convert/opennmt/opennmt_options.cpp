#include "core/convert/opennmt/opennmt_options.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/checkpoint/fairseq/fairseq_options.h"
#include "core/convert/unsupported_settings.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr int64_t kMaxOpenNmtSize = 65536;
constexpr double kOpenNmtEpsilon = 1e-6;  // of versions without the option norm_eps

/// Settings and the only values that our model can express; a version may lack any of them.
const std::array<std::pair<const char*, std::vector<json>>, 22> kOnlyValues = {
    {{"model_type", {"text"}},
     {"model_task", {"seq2seq"}},
     {"encoder_type", {"transformer"}},
     {"decoder_type", {"transformer"}},
     {"self_attn_type", {"scaled-dot", "scaled-dot-flash"}},
     {"layer_norm", {"standard"}},
     {"max_relative_positions", {0}},
     {"position_encoding", {true}},
     {"n_src_feats", {0}},
     {"copy_attn", {false}},
     {"multiquery", {false}},
     {"num_kv", {0}},
     {"rotary_dim", {0}},
     {"sliding_window", {0}},
     {"parallel_residual", {false}},
     {"shared_layer_norm", {false}},
     {"num_experts", {0}},
     {"quant_type", {"", nullptr}},
     {"lora_layers", {json::array(), nullptr}},
     {"aan_useffn", {false}},
     {"generator_function", {"softmax"}},
     {"context_gate", {nullptr}}}};

class OpenNmtOptions {
 public:
  OpenNmtOptions(const json& settings, const OpenNmtBiases& biases, const std::string& path)
      : settings_(settings, path), biases_(biases), path_(path) {}

  json read() {
    check_settings();
    json options = with_fairseq_conventions(
        {{"norm_eps", number("norm_eps", kOpenNmtEpsilon)},
         {"attn_bias", biases_.attention},
         {"ffn_bias1", biases_.feed_forward},
         {"ffn_bias2", biases_.feed_forward},
         {"no_scale_embedding", false},
         {"out_bias", true},
         {"source_eos", false},
         {"activation_fn", activation()},
         {"share_all_embeddings", is_on("share_embeddings") && is_on("share_decoder_embeddings")},
         {"share_decoder_input_output_embed", is_on("share_decoder_embeddings")},
         {"dropout", number("dropout", 0)},
         {"attention_dropout", number("attention_dropout", 0)}});
    for (const auto& [stack, short_name] :
         {std::pair<std::string, std::string>("encoder", "enc"), {"decoder", "dec"}})
      read_stack(options, stack, short_name);
    refuse_unsupported(problems_, path_);
    return options;
  }

 private:
  void check_settings() {
    for (const auto& [name, allowed] : kOnlyValues) {
      if (!settings_.has(name))
        continue;
      const JsonEntry setting = settings_.at(name);
      const json& value = setting.value();
      if (std::ranges::find(allowed, value) == allowed.end())
        problems_.push_back(fmt::format("{}: {}", name, value.dump()));
    }
  }

  bool is_on(const char* name) const { return settings_.has(name) && settings_.at(name).truth(); }

  /// A number, or the first one of a list (dropout by steps).
  double number(const char* name, double fallback) const {
    if (!settings_.has(name))
      return fallback;
    const JsonEntry entry = settings_.at(name);
    return entry.value().is_array() && !entry.value().empty() ? entry.items().front().number()
                                                              : entry.number();
  }

  std::string activation() {
    const std::string name = settings_.has("pos_ffn_activation_fn")
                                 ? settings_.at("pos_ffn_activation_fn").text()
                                 : "relu";
    if (name != "relu" && name != "gelu")
      problems_.push_back("pos_ffn_activation_fn: " + name);
    return name;
  }

  int64_t size(const std::string& name) const {
    return settings_.at(name).whole_number(1, kMaxOpenNmtSize);
  }

  void read_stack(json& options, const std::string& stack, const std::string& short_name) {
    const int64_t width = size(short_name + "_hid_size"), heads = size("heads");
    options[stack + "_embed_dim"] = width;
    options[stack + "_ffn_embed_dim"] = size("transformer_ff");
    options[stack + "_layers"] = size(short_name + "_layers");
    options[stack + "_attention_heads"] = heads;
    options[stack + "_normalize_before"] = true;
    if (width % heads != 0)
      problems_.push_back(fmt::format("heads: {} of width {}", heads, width));
    const std::string words = stack == "encoder" ? "src_word_vec_size" : "tgt_word_vec_size";
    if (size(words) != width)
      problems_.push_back(fmt::format("{}: {} instead of {}", words, size(words), width));
  }

  JsonEntry settings_;
  OpenNmtBiases biases_;
  const std::string& path_;
  std::vector<std::string> problems_;
};

}  // namespace

json options_from_opennmt(const json& settings,
                          const OpenNmtBiases& biases,
                          const std::string& path) {
  return OpenNmtOptions(settings, biases, path).read();
}

}  // namespace phraseq

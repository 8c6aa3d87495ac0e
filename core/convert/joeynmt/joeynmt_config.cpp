#include "core/convert/joeynmt/joeynmt_config.h"

#include <set>
#include <vector>

#include <fmt/format.h>

#include "core/checkpoint/fairseq/fairseq_options.h"
#include "core/convert/unsupported_settings.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr int64_t kMaxJoeySize = 65536;
constexpr double kJoeyEpsilon = 1e-6;  // joeynmt/transformer_layers.py

/// Settings of a stack that are read, or that only training needs.
const std::set<std::string> kStackSettings = {"type",
                                              "num_layers",
                                              "num_heads",
                                              "embeddings",
                                              "hidden_size",
                                              "ff_size",
                                              "dropout",
                                              "freeze",
                                              "layer_norm",
                                              "activation",
                                              "alpha"};
const std::set<std::string> kEmbeddingSettings = {
    "embedding_dim", "scale", "freeze", "dropout", "load_pretrained"};
const std::set<std::string> kJoeyActivations = {"relu", "gelu", "swish"};

class JoeyConfigReader {
 public:
  JoeyConfigReader(const json& config, const JoeyStackNorms& last_norms, const std::string& path)
      : config_(config, path), model_(config_.at("model")), last_norms_(last_norms), path_(path) {}

  json read() {
    options_ = with_fairseq_conventions({{"pos", "interleaved"},
                                         {"norm_eps", kJoeyEpsilon},
                                         {"start_token", "bos"},
                                         {"forbid_outputs", true}});
    const bool tied = is_on(model_, "tied_embeddings"), output = is_on(model_, "tied_softmax");
    options_["share_all_embeddings"] = tied && output;
    options_["share_decoder_input_output_embed"] = output;
    read_stack("encoder", last_norms_.encoder);
    read_stack("decoder", last_norms_.decoder);
    check_prompts();
    refuse_unsupported(problems_, path_);
    return options_;
  }

 private:
  static bool is_on(const JsonEntry& entry, const char* name) {
    return entry.has(name) && !entry.at(name).is_null() && entry.at(name).truth();
  }

  static std::string text(const JsonEntry& entry, const char* name, const char* fallback) {
    return entry.has(name) && !entry.at(name).is_null() ? entry.at(name).text() : fallback;
  }

  void reject(const std::string& stack, const std::string& name, const json& value) {
    problems_.push_back(fmt::format("{}.{}: {}", stack, name, value.dump()));
  }

  void check_names(const JsonEntry& entry,
                   const std::set<std::string>& known,
                   const std::string& place) {
    for (const auto& [name, value] : entry.members()) {
      if (!known.contains(name))
        reject(place, name, value.value());
    }
  }

  /// A setting that both stacks share in our model.
  void agree(const char* option, const json& value, const std::string& setting) {
    if (options_.contains(option) && options_[option] != value)
      problems_.push_back(fmt::format("encoder and decoder with different {}", setting));
    options_[option] = value;
  }

  void read_stack(const std::string& stack, bool has_last_norm) {
    const JsonEntry entry = model_.at(stack);
    if (text(entry, "type", "recurrent") != "transformer") {
      reject(stack, "type", text(entry, "type", "recurrent"));
      return;
    }
    check_names(entry, kStackSettings, stack);
    const auto size = [&](const char* name) {
      return entry.at(name).whole_number(1, kMaxJoeySize);
    };
    options_[stack + "_embed_dim"] = size("hidden_size");
    options_[stack + "_ffn_embed_dim"] = size("ff_size");
    options_[stack + "_layers"] = size("num_layers");
    options_[stack + "_attention_heads"] = size("num_heads");
    if (size("hidden_size") % size("num_heads") != 0)
      reject(stack, "num_heads", size("num_heads"));
    read_norm(entry, stack, has_last_norm);
    read_activation(entry, stack);
    read_embeddings(entry.at("embeddings"), stack + ".embeddings");
    if (entry.has("dropout"))
      options_["dropout"] = entry.at("dropout").number();
  }

  /// Versions 1.x have no such setting and are pre-norm. Without it, version 2.x makes encoders of
  /// pre-norm layers without a last norm, which our model does not have.
  void read_norm(const JsonEntry& entry, const std::string& stack, bool has_last_norm) {
    const bool by_default = stack == "decoder" || has_last_norm;
    const std::string place = text(entry, "layer_norm", has_last_norm ? "pre" : "post");
    if (!entry.has("layer_norm") && !by_default)
      problems_.push_back("encoder without layer_norm (pre-norm without a last norm)");
    if (place != "pre" && place != "post")
      reject(stack, "layer_norm", place);
    options_[stack + "_normalize_before"] = place == "pre";
  }

  void read_activation(const JsonEntry& entry, const std::string& stack) {
    const std::string activation = text(entry, "activation", "relu");
    if (!kJoeyActivations.contains(activation))
      reject(stack, "activation", activation);
    agree("activation_fn", activation, "activation");
    if (entry.has("alpha") && entry.at("alpha").number() != 1.0)
      reject(stack, "alpha", entry.at("alpha").value());
  }

  void read_embeddings(const JsonEntry& entry, const std::string& place) {
    check_names(entry, kEmbeddingSettings, place);
    agree("no_scale_embedding", !is_on(entry, "scale"), "embeddings.scale");
  }

  /// Models that continue a given beginning, such as a language tag.
  void check_prompts() {
    const json specials = joey_special_symbols(config_.value());
    for (const char* name : {"sep_token", "lang_tags"}) {
      const json value = specials.value(name, json());
      if (!value.is_null() && value != json::array() && value != "")
        reject("data.special_symbols", name, value);
    }
  }

  JsonEntry config_;
  JsonEntry model_;
  JoeyStackNorms last_norms_;
  const std::string& path_;
  json options_;
  std::vector<std::string> problems_;
};

}  // namespace

json joey_special_symbols(const json& config) {
  const json data = config.value("data", json());
  const json symbols = data.is_object() ? data.value("special_symbols", json()) : json();
  return symbols.is_object() ? symbols : json::object();
}

json options_from_joeynmt(const json& config,
                          const JoeyStackNorms& last_norms,
                          const std::string& path) {
  return JoeyConfigReader(config, last_norms, path).read();
}

}  // namespace phraseq

#include "core/checkpoint/fairseq/fairseq_options.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 8> kArchitectures = {"transformer",
                                                            "transformer_iwslt_de_en",
                                                            "transformer_wmt_en_de",
                                                            "transformer_vaswani_wmt_en_de_big",
                                                            "transformer_vaswani_wmt_en_fr_big",
                                                            "transformer_wmt_en_de_big",
                                                            "transformer_wmt_en_de_big_t2t",
                                                            "transformer_tiny"};

/// Further architectures, which become transformer_align.
constexpr std::array<std::string_view, 2> kAlignArchitectures = {"transformer_align",
                                                                 "transformer_wmt_en_de_big_align"};

constexpr std::array kSizes = {"encoder_embed_dim",
                               "encoder_ffn_embed_dim",
                               "encoder_layers",
                               "encoder_attention_heads",
                               "decoder_embed_dim",
                               "decoder_ffn_embed_dim",
                               "decoder_layers",
                               "decoder_attention_heads"};

constexpr std::array kSwitches = {"encoder_normalize_before",
                                  "decoder_normalize_before",
                                  "share_all_embeddings",
                                  "share_decoder_input_output_embed",
                                  "no_scale_embedding"};

/// The sizes and switches of a language model, in place of those of both stacks.
constexpr std::array kLanguageModelSizes = {
    "decoder_embed_dim", "decoder_ffn_embed_dim", "decoder_layers", "decoder_attention_heads"};

constexpr std::array kLanguageModelSwitches = {"decoder_normalize_before",
                                               "no_decoder_final_norm",
                                               "share_decoder_input_output_embed",
                                               "no_scale_embedding"};

/// Options that only a language model has and phraseq does not support.
constexpr std::array kUnsupportedInLanguageModels = {"adaptive_softmax_cutoff",
                                                     "adaptive_input",
                                                     "character_embeddings",
                                                     "base_layers",
                                                     "quant_noise_pq",
                                                     "quant_noise_scalar",
                                                     "scale_fc",
                                                     "scale_attn",
                                                     "scale_heads",
                                                     "scale_resids",
                                                     "decoder_xformers_att_config"};

/// What changes the computation and has no counterpart: only null, false, zero and "" are taken.
constexpr std::array kUnsupported = {"adaptive_softmax_cutoff",
                                     "adaptive_input",
                                     "no_cross_attention",
                                     "cross_self_attention",
                                     "no_encoder_final_norm",
                                     "no_decoder_final_norm",
                                     "merge_src_tgt_embed",
                                     "character_embeddings",
                                     "char_inputs",
                                     "base_layers",
                                     "quant_noise_pq",
                                     "quant_noise_scalar",
                                     "encoder_xformers_att_config",
                                     "decoder_xformers_att_config"};

bool is_off(const json& value) {
  return value.is_null() || value == json(false) || value == json(0) || value == json("");
}

/// The name of the architecture that the options record; empty when there is none.
std::string architecture_name(const json& fairseq) {
  for (const char* key : {"arch", "_name"}) {
    const auto found = fairseq.find(key);
    if (found != fairseq.end() && found->is_string())
      return found->get<std::string>();
  }
  return {};
}

/// Converts fairseq's options one by one and collects those without a counterpart.
class FairseqReader {
 public:
  explicit FairseqReader(const json& options) : options_(options) {}

  json read() {
    check_architecture();
    for (const char* name : kSizes) copy_size(name);
    for (const char* name : kSwitches) result_[name] = flag(name);
    reject_unsupported(kUnsupported);
    read_dropout();
    read_layer_drop("encoder");
    read_layer_drop("decoder");
    if (is_fairseq_alignment_model(options_))
      read_alignment();
    copy_size("max_source_positions", 1024);
    copy_size("max_target_positions", 1024);
    read_activation();
    read_positions();
    result_["embed_norm"] = flag("layernorm_embedding") ? "before-dropout" : "no";
    return with_fairseq_conventions(result_);
  }

  json read_language_model() {
    for (const char* name : kLanguageModelSizes) copy_size(name);
    for (const char* name : kLanguageModelSwitches) result_[name] = flag(name);
    reject_unsupported(kUnsupportedInLanguageModels);
    read_dropout();
    read_layer_drop("decoder");
    read_activation();
    result_["pos"] = flag("no_token_positional_embeddings") ? "none"
                     : flag("decoder_learned_pos")          ? "learned"
                                                            : "fairseq";
    result_["embed_norm"] = flag("layernorm_embedding") ? "before-dropout" : "no";
    result_["norm_eps"] = 1e-5;
    for (const char* name : {"max_target_positions", "tokens_per_sample"}) {
      if (!result_.contains("max_target_positions") && value(name).is_number_integer())
        result_["max_target_positions"] = value(name);
    }
    result_.emplace("max_target_positions", 1024);
    return result_;
  }

  const std::vector<std::string>& problems() const { return problems_; }

 private:
  json value(const char* name) const { return options_.value(name, json()); }
  bool flag(const char* name) const { return !is_off(value(name)); }

  void reject(const char* name) {
    problems_.push_back(fmt::format("{} = {}", name, value(name).dump()));
  }

  template <size_t count>
  void reject_unsupported(const std::array<const char*, count>& names) {
    for (const char* name : names) {
      if (!is_off(value(name)))
        reject(name);
    }
    for (const char* name : {"decoder_input_dim", "decoder_output_dim"}) {
      if (!value(name).is_null() && value(name) != value("decoder_embed_dim"))
        reject(name);
    }
  }

  void check_architecture() {
    const json arch = value("arch").is_null() ? value("_name") : value("arch");
    if (arch.is_null())
      return;
    const bool known =
        arch.is_string() && (std::ranges::count(kArchitectures, arch.get<std::string>()) > 0 ||
                             is_fairseq_alignment_model(options_));
    if (!known) {
      problems_.push_back("arch = " + arch.dump());
    }
  }

  void copy_size(const char* name, const json& if_missing = {}) {
    const json size = value(name).is_null() ? if_missing : value(name);
    if (size.is_number_integer() && size.get<int64_t>() >= 0) {
      result_[name] = size;
    } else {
      problems_.push_back(fmt::format("{} = {}, expected a size", name, size.dump()));
    }
  }

  /// Only training uses these; `relu_dropout` is the older name.
  void read_dropout() {
    result_["dropout"] = number("dropout", 0.1);
    result_["attention_dropout"] = number("attention_dropout", 0.0);
    const double activation = number("activation_dropout", 0.0);
    result_["activation_dropout"] = activation > 0 ? activation : number("relu_dropout", 0.0);
  }

  /// The weights of a model with --*-layers-to-keep are numbered without gaps, and its number of
  /// layers is that of those kept.
  void read_layer_drop(const std::string& stack) {
    if (const double probability = number((stack + "_layerdrop").c_str(), 0.0); probability > 0)
      result_[stack + "_layerdrop"] = probability;
    const json kept = value((stack + "_layers_to_keep").c_str());
    const json layers = value((stack + "_layers").c_str());
    if (is_off(kept))
      return;
    const std::string list = kept.is_string() ? kept.get<std::string>() : kept.dump();
    if (layers != json(std::ranges::count(list, ',') + 1))
      reject((stack + "_layers_to_keep").c_str());
  }

  void read_alignment() {
    copy_size("alignment_heads", 1);
    copy_size("alignment_layer", 4);
    result_["full_context_alignment"] = flag("full_context_alignment");
  }

  double number(const char* name, double fallback) {
    const json given = value(name);
    if (given.is_null())
      return fallback;
    if (given.is_number())
      return given.get<double>();
    reject(name);
    return fallback;
  }

  void read_activation() {
    const json function = value("activation_fn").is_null() ? json("relu") : value("activation_fn");
    if (function != "relu" && function != "gelu" && function != "swish")
      reject("activation_fn");
    result_["activation_fn"] = function;
  }

  void read_positions() {
    const bool learned = flag("encoder_learned_pos");
    if (learned != flag("decoder_learned_pos")) {
      problems_.emplace_back("encoder_learned_pos and decoder_learned_pos differ");
    }
    result_["pos"] = flag("no_token_positional_embeddings") ? "none"
                     : learned                              ? "learned"
                                                            : "fairseq";
  }

  const json& options_;
  json result_ = json::object();
  std::vector<std::string> problems_;
};

json read_options(const json& fairseq,
                  const std::string& path,
                  const char* architecture,
                  json (FairseqReader::*read)()) {
  if (!fairseq.is_object()) {
    throw FormatError(fmt::format("{}: not a JSON object of fairseq options", path));
  }
  FairseqReader reader(fairseq);
  json result = (reader.*read)();
  if (reader.problems().empty())
    return result;
  throw UsageError(fmt::format("{}: the architecture {} does not support\n    {}",
                               path,
                               architecture,
                               fmt::join(reader.problems(), "\n    ")));
}

}  // namespace

json options_from_fairseq(const json& fairseq, const std::string& path) {
  const char* const architecture =
      is_fairseq_alignment_model(fairseq) ? "transformer_align" : "transformer";
  return read_options(fairseq, path, architecture, &FairseqReader::read);
}

json language_model_options_from_fairseq(const json& fairseq, const std::string& path) {
  return read_options(fairseq, path, "transformer_lm", &FairseqReader::read_language_model);
}

json with_fairseq_conventions(const json& options) {
  json all = {{"embed_norm", "no"},
              {"norm_eps", 1e-5},
              {"attn_bias", true},
              {"ffn_bias1", true},
              {"ffn_bias2", true},
              {"out_bias", false},
              {"start_token", "eos"},
              {"source_bos", false},
              {"source_eos", true},
              {"forbid_outputs", false},
              {"init", "fairseq"},
              {"attention_dropout", 0.0},
              {"activation_dropout", 0.0},
              {"max_source_positions", 1024},
              {"max_target_positions", 1024}};
  all.update(options);
  return all;
}

bool is_fairseq_language_model(const json& fairseq) {
  return fairseq.is_object() && architecture_name(fairseq).starts_with("transformer_lm");
}

bool is_fairseq_alignment_model(const json& fairseq) {
  return fairseq.is_object() &&
         std::ranges::count(kAlignArchitectures, architecture_name(fairseq)) > 0;
}

}  // namespace phraseq

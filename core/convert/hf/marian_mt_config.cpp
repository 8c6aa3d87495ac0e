#include "core/convert/hf/marian_mt_config.h"

#include <array>

#include "core/convert/hf/hf_config.h"

namespace phraseq {
namespace {

using nlohmann::json;

/// Settings that must be as good as absent.
constexpr std::array kMustBeOff = {"normalize_before",
                                   "normalize_embedding",
                                   "add_final_layer_norm",
                                   "forced_bos_token_id",
                                   "tie_encoder_decoder"};

void add_sharing(HfConfig& config, json& options) {
  const bool shared = config.is_on("share_encoder_decoder_embeddings", true);
  const bool tied = config.is_on("tie_word_embeddings", true);
  options["share_all_embeddings"] = shared;
  options["share_decoder_input_output_embed"] = tied;
  if (shared && !tied)
    config.reject("tie_word_embeddings");
}

void reject_unless_off(HfConfig& config, const char* name) {
  const json value = config.value(name);
  if (!value.is_null() && value != false && value != json::array())
    config.reject(name);
}

void reject_unsupported(HfConfig& config) {
  for (const char* name : kMustBeOff) reject_unless_off(config, name);
  for (const char* name : kTokenConstraints) reject_unless_off(config, name);
  if (!config.is_on("static_position_embeddings", true))
    config.reject("static_position_embeddings");
  if (config.value("eos_token_id").is_array())  // several symbols
    config.reject("eos_token_id");
  const json banned = config.value("bad_words_ids");
  if (!banned.is_null() && banned != json::array({json::array({config.value("pad_token_id")})}))
    config.reject("bad_words_ids");
}

}  // namespace

json options_from_marian_config(const json& entries, const std::string& path) {
  HfConfig config(entries, path, "marian");
  json options = config.common_options("gelu", /*scales_by_default=*/false);
  // What Marian's code has built in.
  options.update({{"encoder_layers", config.size("encoder_layers", 0)},
                  {"encoder_normalize_before", false},
                  {"decoder_normalize_before", false},
                  {"pos", "marian"},
                  {"out_bias", true},
                  {"start_token", "bos"}});
  add_sharing(config, options);
  reject_unsupported(config);
  config.refuse_rejected();
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

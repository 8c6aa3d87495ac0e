#include "core/convert/hf/m2m100_config.h"

#include <array>
#include <utility>

#include "core/convert/hf/hf_config.h"
#include "core/text/dictionary.h"

namespace phraseq {
namespace {

using nlohmann::json;

/// The ids that every model of this kind has, and ours.
constexpr std::array<std::pair<const char*, int64_t>, 4> kM2mSpecialIds = {
    {{"bos_token_id", kBos},
     {"pad_token_id", kPad},
     {"eos_token_id", kEos},
     {"decoder_start_token_id", kEos}}};

/// Only null and an empty list are taken.
void reject_token_constraint(HfConfig& config, const char* name) {
  const json value = config.value(name);
  if (!value.is_null() && value != json::array())
    config.reject(name);
}

void reject_token_constraints(HfConfig& config) {
  reject_token_constraint(config, "bad_words_ids");
  for (const char* name : kTokenConstraints) reject_token_constraint(config, name);
}

void reject_other_ids_or_matrices(HfConfig& config) {
  for (const auto& [name, id] : kM2mSpecialIds) {
    if (config.value(name).is_array() || config.number(name, id) != id)
      config.reject(name);
  }
  if (!config.is_on("tie_word_embeddings", true))
    config.reject("tie_word_embeddings");
}

}  // namespace

json options_from_m2m100_config(const json& entries, const std::string& path) {
  HfConfig config(entries, path, "m2m_100");
  json options = config.common_options("relu", /*scales_by_default=*/true);
  // What the code of the model has built in (modeling_m2m_100.py).
  options.update({{"encoder_layers", config.size("encoder_layers")},
                  {"encoder_normalize_before", true},
                  {"decoder_normalize_before", true},
                  {"share_all_embeddings", true},
                  {"share_decoder_input_output_embed", true},
                  {"pos", "fairseq"}});
  reject_other_ids_or_matrices(config);
  reject_token_constraints(config);
  config.refuse_rejected();
  return options;
}

}  // namespace phraseq

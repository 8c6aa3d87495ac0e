#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/io/json_reader.h"

namespace phraseq {

/// Settings that ban or force tokens, which phraseq does not have. Not bad_words_ids, with which
/// Marian's models may ban padding.
inline constexpr std::array kTokenConstraints = {
    "forced_decoder_ids", "sequence_bias", "suppress_tokens", "begin_suppress_tokens"};

/// A config.json of Hugging Face that is being converted to options of the Transformer.
class HfConfig {
 public:
  /// Throws UsageError if the file is not for `model_type`.
  HfConfig(const nlohmann::json& config, const std::string& path, const std::string& model_type);

  /// The entry, or `otherwise`.
  nlohmann::json value(const char* name, const nlohmann::json& otherwise = {}) const {
    return config_.value(name, otherwise);
  }
  /// A switch; null is off, as in Python. Throws FormatError for anything else.
  bool is_on(const char* name, bool otherwise) const;
  /// A number that may be missing or null. Throws FormatError for anything else.
  nlohmann::json number(const char* name, const nlohmann::json& otherwise) const;
  /// A size of the model.
  int64_t size(const char* name, int64_t least = 1) const;

  /// Sizes except the encoder's depth, dropout, activation and everything else that is the same in
  /// all of these models; the defaults are those of Hugging Face's class.
  nlohmann::json common_options(const char* default_activation, bool scales_by_default);

  /// Records that phraseq has no counterpart of the entry.
  void reject(const char* name);
  /// Throws a UsageError that lists everything that was rejected.
  void refuse_rejected() const;

 private:
  const nlohmann::json& config_;
  JsonEntry entry_;
  std::string path_;
  std::vector<std::string> problems_;
};

/// The entries of a config.json, with the special tokens as numbers: newer versions may write lists
/// of one number.
PHRASEQ_API nlohmann::json with_single_ids(nlohmann::json config);

/// The entries of a config.json, with the settings of banned and forced tokens, and the special
/// tokens that it does not name, from `generation`: the generation_config.json at the path `place`,
/// where newer versions keep them.
PHRASEQ_API nlohmann::json with_generation_settings(nlohmann::json config,
                                                    const nlohmann::json& generation,
                                                    const std::string& place);

}  // namespace phraseq

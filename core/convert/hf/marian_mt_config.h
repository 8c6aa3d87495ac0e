#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/convert/hf/hf_vocabulary.h"

namespace phraseq {

/// The settings of a MarianMTModel in `config.json` as options of the architecture `transformer`,
/// with Marian's positions and an output bias. Throws FormatError for a different model or missing
/// sizes, and a UsageError that lists every setting without a counterpart.
PHRASEQ_API nlohmann::json options_from_marian_config(const nlohmann::json& config,
                                                      const std::string& path);

/// The special ids. Throws FormatError if one is missing.
PHRASEQ_API HfSpecialIds special_ids_of(const nlohmann::json& config, const std::string& path);

}  // namespace phraseq

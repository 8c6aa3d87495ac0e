#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/convert/hf/hf_vocabulary.h"

namespace phraseq {

/// The settings of a MarianMTModel in `config.json` as options of our architecture `transformer`,
/// with Marian's positions and a bias of the output. Throws FormatError for another model or
/// missing sizes, and UsageError that lists every setting without a counterpart.
PHRASEQ_API nlohmann::json options_from_marian_config(const nlohmann::json& config,
                                                      const std::string& path);

/// The special ids. Throws FormatError when one is missing.
PHRASEQ_API HfSpecialIds special_ids_of(const nlohmann::json& config, const std::string& path);

}  // namespace phraseq

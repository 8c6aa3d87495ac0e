#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"

namespace phraseq {

/// The settings of an M2M100ForConditionalGeneration (M2M-100, NLLB-200) in `config.json` as
/// options of the architecture `transformer`: pre-norm, fairseq's sinusoids, one matrix for all
/// embeddings. Throws FormatError for a different model or missing sizes, and a UsageError that
/// lists every setting without a counterpart.
PHRASEQ_API nlohmann::json options_from_m2m100_config(const nlohmann::json& config,
                                                      const std::string& path);

}  // namespace phraseq

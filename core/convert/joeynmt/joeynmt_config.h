#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"

namespace phraseq {

/// Where the norms of a stack are if `layer_norm` in its configuration does not say it: before the
/// sub-layers if the stack ends in a norm.
struct JoeyStackNorms {
  bool encoder = false;
  bool decoder = false;
};

/// The section `data.special_symbols` of a configuration; an empty object if there is none.
PHRASEQ_API nlohmann::json joey_special_symbols(const nlohmann::json& config);

/// The part `model` of a configuration of JoeyNMT (1.x and 2.x) as options of the architecture
/// `transformer`. Throws FormatError for missing or impossible sizes, and a UsageError that lists
/// every setting without a counterpart.
PHRASEQ_API nlohmann::json options_from_joeynmt(const nlohmann::json& config,
                                                const JoeyStackNorms& last_norms,
                                                const std::string& path);

}  // namespace phraseq

#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"

namespace phraseq {

/// Whether the projections of a model have biases, as its parameters show.
struct OpenNmtBiases {
  bool attention = false;
  bool feed_forward = false;
};

/// The options of a checkpoint of OpenNMT-py (3.x) as options of the architecture `transformer`,
/// except for the positions and the first token of the decoder. Throws FormatError for missing or
/// impossible sizes, and a UsageError that lists every setting without a counterpart.
PHRASEQ_API nlohmann::json options_from_opennmt(const nlohmann::json& settings,
                                                const OpenNmtBiases& biases,
                                                const std::string& path);

}  // namespace phraseq

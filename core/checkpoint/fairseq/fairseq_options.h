#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"

namespace phraseq {

/// fairseq's options of a `transformer` (`vars(args)`, or `cfg.model`, as a JSON object) as the
/// options of our architecture `transformer` that compute the same: fairseq's own names where it
/// has them, and what it has built in: its sinusoids, an epsilon of 1e-5, biases everywhere but at
/// the output, decoding from </s>.
///
/// `path` is in error messages. Throws FormatError for options that are no such object, and
/// UsageError that lists every option with a value that we have nothing for.
PHRASEQ_API nlohmann::json options_from_fairseq(const nlohmann::json& fairseq,
                                                const std::string& path);

}  // namespace phraseq

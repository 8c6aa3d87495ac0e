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
/// For a `transformer_align`, those of our architecture of that name.
///
/// `path` is in error messages. Throws FormatError for options that are no such object, and
/// UsageError that lists every option with a value that we have nothing for.
PHRASEQ_API nlohmann::json options_from_fairseq(const nlohmann::json& fairseq,
                                                const std::string& path);

/// The same for a `transformer_lm`: the options of our architecture of that name. The model's
/// longest input is its `max_target_positions`, else its `tokens_per_sample`, else 1024.
PHRASEQ_API nlohmann::json language_model_options_from_fairseq(const nlohmann::json& fairseq,
                                                               const std::string& path);

/// Whether the options are those of a language model, by the name of their architecture.
PHRASEQ_API bool is_fairseq_language_model(const nlohmann::json& fairseq);

/// Whether the options are those of a `transformer_align`, by the name of their architecture.
PHRASEQ_API bool is_fairseq_alignment_model(const nlohmann::json& fairseq);

}  // namespace phraseq

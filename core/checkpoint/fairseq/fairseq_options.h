#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"

namespace phraseq {

/// fairseq's options of a `transformer` (`vars(args)`, or `cfg.model`, as a JSON object) as the
/// options of the architecture `transformer` that compute the same: those that fairseq has, and
/// what is built into it: its sinusoids, an epsilon of 1e-5, biases everywhere except at the
/// output, and decoding from </s>.
///
/// For a `transformer_align`, those of phraseq's architecture of that name.
///
/// `path` is used in error messages. Throws FormatError for options that are not such an object,
/// and a UsageError that lists every option whose value has no counterpart.
PHRASEQ_API nlohmann::json options_from_fairseq(const nlohmann::json& fairseq,
                                                const std::string& path);

/// The same for a `transformer_lm`: the options of phraseq's architecture of that name. The maximum
/// length of the model's input is its `max_target_positions`, otherwise its `tokens_per_sample`,
/// otherwise 1024.
PHRASEQ_API nlohmann::json language_model_options_from_fairseq(const nlohmann::json& fairseq,
                                                               const std::string& path);

/// The options of a `transformer` with fairseq's choice for those that are missing: what is built
/// into its model, and its defaults for the norm of the embeddings, for dropout in attention and
/// feed-forward layers, and for the longest sentence. What importers of other toolkits begin with.
PHRASEQ_API nlohmann::json with_fairseq_conventions(const nlohmann::json& options);

/// Whether the options are those of a language model, by the name of their architecture.
PHRASEQ_API bool is_fairseq_language_model(const nlohmann::json& fairseq);

/// Whether the options are those of a `transformer_align`, by the name of their architecture.
PHRASEQ_API bool is_fairseq_alignment_model(const nlohmann::json& fairseq);

}  // namespace phraseq

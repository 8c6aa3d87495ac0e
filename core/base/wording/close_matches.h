#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Up to three of `known` that a person may have meant by `name`, nearest first: those whose edit
/// distance (insertions, deletions, replacements, swaps of neighbors) is at most a third of the
/// name, and those that begin with it. Letters of both cases are the same.
PHRASEQ_API std::vector<std::string> close_matches(std::string_view name,
                                                   std::span<const std::string> known);

/// The three of `known` with the smallest edit distance to `name`, however large it is; those that
/// begin with `name` come first.
PHRASEQ_API std::vector<std::string> nearest_names(std::string_view name,
                                                   std::span<const std::string> known);

/// "did you mean 'a' or 'b'?", or an empty string when nothing is near.
PHRASEQ_API std::string did_you_mean(std::string_view name, std::span<const std::string> known);

/// "Nearest names: a, b, c. " for a name that did_you_mean() has no answer to; otherwise an empty
/// string.
PHRASEQ_API std::string nearest_text(std::string_view name, std::span<const std::string> known);

}  // namespace phraseq

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Up to three of `known` that a person may have meant by `name`, nearest first: those within an
/// edit distance (insert, delete, replace, swap of neighbors) of a third of the name, or that it
/// begins.
PHRASEQ_API std::vector<std::string> close_matches(std::string_view name,
                                                   std::span<const std::string> known);

/// The three of `known` with the smallest edit distance to `name`, however large it is; those that
/// `name` begins come first.
PHRASEQ_API std::vector<std::string> nearest_names(std::string_view name,
                                                   std::span<const std::string> known);

/// "did you mean 'a' or 'b'?", or an empty string when nothing is near.
PHRASEQ_API std::string did_you_mean(std::string_view name, std::span<const std::string> known);

}  // namespace phraseq

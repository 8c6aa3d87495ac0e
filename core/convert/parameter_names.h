#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/api.h"

namespace phraseq {

/// A part of a parameter's name in another toolkit, and the corresponding part in phraseq.
using NamePart = std::pair<std::string_view, std::string_view>;

/// The name of a parameter with its parts replaced by phraseq's, in the order of the list. After
/// that, the norm that an encoder layer calls "layer_norm" becomes that of its self-attention.
PHRASEQ_API std::string renamed_parameter(std::string name, std::span<const NamePart> parts);

}  // namespace phraseq

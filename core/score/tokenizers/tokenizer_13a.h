#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq::score {

/// mteval-v13a.pl's tokenizer: decodes entities, separates ASCII punctuation, and keeps numbers
/// together.
PHRASEQ_API std::string tokenize_13a(std::string_view line);

}  // namespace phraseq::score

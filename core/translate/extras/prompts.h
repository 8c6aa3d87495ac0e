#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"
#include "core/data/example.h"

namespace phraseq {

/// The tokens that the hypotheses of each example begin with, for DecodingRequest::prompts: the
/// text to be continued (kPromptExtra), or the beginning of its translation (kPrefixExtra).
PHRASEQ_API std::vector<std::vector<int64_t>> prompts_of(const std::vector<Example>& examples);

}  // namespace phraseq

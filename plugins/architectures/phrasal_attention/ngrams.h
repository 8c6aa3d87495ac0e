#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace phraseq::phrasal {

/// The numbers of `--pa-ngrams`: one digit each ("44", "123"), or comma-separated ("10,6"). Throws
/// UsageError on anything else.
std::vector<int64_t> parse_ngrams(std::string_view text);

}  // namespace phraseq::phrasal

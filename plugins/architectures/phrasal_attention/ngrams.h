#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace phraseq::phrasal {

/// The longest n-gram that attention may have.
constexpr int64_t kLongestNgram = 100;

/// The half of the model whose attention an option describes.
enum class Stack { kEncoder, kDecoder };

/// A stack's part of `--pa-ngrams`: ENCODER/DECODER, or one text for both.
std::string_view ngrams_part(std::string_view text, Stack stack);

/// The numbers of one stack's part: one digit each ("44", "123"), or comma-separated ("10,6").
/// Throws UsageError for anything else, and for numbers that are larger than any head count.
std::vector<int64_t> parse_ngrams(std::string_view text);

}  // namespace phraseq::phrasal

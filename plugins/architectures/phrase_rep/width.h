#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace phraseq::phrase_rep {

/// The largest hidden width.
constexpr int64_t kMaxWidth = 65536;

/// A hidden width as given by an option: a number, a multiple of the model width ("3d"), or one for
/// the encoder and one for the decoder ("4d,2d").
struct Widths {
  int64_t encoder = 0;
  int64_t decoder = 0;
};

/// Empty if the text is not a width, or if the width is not between 1 and kMaxWidth.
std::optional<Widths> parse_widths(std::string_view text,
                                   int64_t encoder_model,
                                   int64_t decoder_model);

}  // namespace phraseq::phrase_rep

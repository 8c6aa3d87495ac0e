#pragma once

namespace phraseq::nn {

/// The largest width, number of layers and number of heads that options accept.
inline constexpr double kMaxSize = 65536;

/// The largest number of tokens in a sentence that options accept.
inline constexpr double kMaxLength = 16777216;

}  // namespace phraseq::nn

#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"
#include "core/data/example.h"

namespace phraseq {

/// Gives each block of a text the tokens before it as context, like LMContextWindowDataset of
/// fairseq 0.12.2: the last `window` tokens that the model read before, or fewer so that context
/// and block have at most `most_tokens` together. Blocks must be given in the order of the text.
class PHRASEQ_API ContextWindow {
 public:
  ContextWindow(int64_t window, int64_t most_tokens);

  /// Inserts the context before the block's source; the same number of tokens is inserted before
  /// its target, where their probabilities are meaningless. Returns this number.
  int64_t extend(Example& block);

 private:
  int64_t window_;
  int64_t most_tokens_;
  std::vector<int64_t> context_;
};

}  // namespace phraseq

#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace phraseq::phrasal {

/// Converts recorded weights on n-grams to weights on source tokens: [query tokens, longest
/// source].
///
/// `weights` [query kinds, heads, query tokens, key kinds, longest source] are averaged over heads;
/// an n-gram's weight is spread evenly over its tokens (partial windows: over those that exist); a
/// token's row is the mean of the rows of its word and of its phrase (for the first token, that of
/// its word). `lengths`: n of each kind of key. `is_first` [query tokens], true = first of its
/// sentence.
at::Tensor align_to_tokens(const at::Tensor& weights,
                           const std::vector<int64_t>& lengths,
                           const at::Tensor& is_first);

}  // namespace phraseq::phrasal

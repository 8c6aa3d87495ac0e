#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

/// The conversion between packed rows and the padded tensors that ATen's operators work on.
namespace phraseq::nn::reference {

/// The score of a key that must not be seen: its softmax is 0, and a row without keys does not
/// become NaN.
inline constexpr double kMaskedScore = -1e9;

/// The places of the rows of packed sentences (or segments) in a padded [batch · time] layout.
struct PHRASEQ_API PaddedLayout {
  /// Sentence i is rows offsets[i] to offsets[i+1]. `time` is the longest sentence, but at least
  /// `least_time`.
  PaddedLayout(const std::vector<int64_t>& offsets, at::Device device, int64_t least_time = 0);

  /// Converts [tokens, …] to [batch, time, …], with zeros at padding. Differentiable.
  at::Tensor pad(const at::Tensor& rows) const;
  /// Converts [batch, time, …] back to [tokens, …]. Differentiable.
  at::Tensor pack(const at::Tensor& padded) const;
  /// Returns the sentence of each packed row, [tokens] int64.
  at::Tensor sentence_of_row() const;

  int64_t batch, time;
  at::Tensor place;  ///< [tokens] int64: place of each packed row
  at::Tensor mask;   ///< [batch, time], true = a real token
};

/// Numbers the attention weights for dropout, [batch, heads, tgt_time, keys]: heads `first_head`
/// and following of `all_heads`, columns `key_numbers` [keys] (see attention_row_element).
PHRASEQ_API at::Tensor attention_elements(const PaddedLayout& queries,
                                          int64_t all_heads,
                                          int64_t first_head,
                                          int64_t heads,
                                          const at::Tensor& key_numbers);

}  // namespace phraseq::nn::reference

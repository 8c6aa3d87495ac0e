#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

/// Between packed rows and the padded tensors that compositions of ATen's operators work on.
namespace phraseq::nn::reference {

/// The score of a key that must not be seen: its softmax is 0, and a row without keys is no NaN.
inline constexpr double kMaskedScore = -1e9;

/// Where the rows of packed sentences are in a padded [batch · time] layout.
struct PaddedLayout {
  PaddedLayout(const std::vector<int64_t>& offsets, at::Device device);

  /// [tokens, columns] to [batch, time, columns], zeros at padding, and back.
  at::Tensor pad(const at::Tensor& rows) const;
  at::Tensor pack(const at::Tensor& padded) const;
  /// [tokens, model] to [batch, heads, time, head_dim] and back.
  at::Tensor split_heads(const at::Tensor& rows, int64_t heads) const;
  at::Tensor join_heads(const at::Tensor& heads) const;

  int64_t batch, time;
  at::Tensor place;  ///< [tokens] int64: place of each packed row
  at::Tensor mask;   ///< [batch, time], true = a real token
};

/// Element numbers of attention weights, [batch, heads, tgt_time, keys]: heads `first_head`
/// and following of `all_heads`, columns `key_numbers` [keys] (see attention_row_element).
at::Tensor attention_elements(const PaddedLayout& queries,
                              int64_t all_heads,
                              int64_t first_head,
                              int64_t heads,
                              const at::Tensor& key_numbers);

}  // namespace phraseq::nn::reference

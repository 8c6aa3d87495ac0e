#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq {

/// Id sequences of several sentences as one column of rows, sentence after sentence, without
/// padding.
///
/// Layers work on such rows (`[tokens, model]`) plus the offsets; padding exists only inside
/// attention kernels. Sentence i is rows offsets[i] to offsets[i+1].
struct PHRASEQ_API PackedTokens {
  at::Tensor ids;                ///< [tokens] int64
  at::Tensor positions;          ///< [tokens] int64: number of earlier tokens of the same sentence
  std::vector<int64_t> offsets;  ///< [sentences + 1], from 0 to tokens

  int64_t sentences() const {
    return offsets.empty() ? 0 : static_cast<int64_t>(offsets.size()) - 1;
  }
  int64_t tokens() const { return offsets.empty() ? 0 : offsets.back(); }
  int64_t length(int64_t sentence) const;
  int64_t max_length() const;

  /// Packs the sequences, on the CPU.
  static PackedTokens pack(const std::vector<std::vector<int64_t>>& sequences);
  /// `[batch, time]`, padded on the right with `pad`.
  at::Tensor padded(int64_t pad) const;
  /// Converts another tensor that is packed in the same way from `[tokens, …]` to `[batch, time,
  /// …]` (zeros at padding) and back, for plugins that need the padded form.
  at::Tensor pad_rows(const at::Tensor& rows) const;
  at::Tensor unpad_rows(const at::Tensor& padded_rows) const;
  /// `[batch, time]`, true = a real token.
  at::Tensor mask() const;
  PackedTokens to(at::Device device) const;
};

/// The sentences of one step of training or scoring.
struct PHRASEQ_API Batch {
  std::vector<int64_t> sentence_ids;  ///< place in the data set, from 0
  PackedTokens source;                ///< ends in </s> (and may start with <s>)
  PackedTokens target_in;             ///< input of the decoder: start token, then the target
  at::Tensor target_out;  ///< [target tokens] int64: its expected output; packed as target_in
  std::map<std::string, at::Tensor> extras;  ///< named additions of a task (candidates …)
  /// Additions that the host reads, such as the beginnings of phrases: `to` leaves them on the
  /// host, so that no pass has to wait for a GPU.
  std::map<std::string, std::vector<int64_t>> host_extras;

  int64_t sentences() const { return source.sentences(); }
  bool has_target() const { return target_out.defined(); }
  Batch to(at::Device device) const;
  /// Copies the batch to pinned memory, from which `to` copies to a GPU asynchronously. Needs a
  /// GPU.
  Batch pinned() const;
};

}  // namespace phraseq

#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/functional/incremental.h"
#include "core/nn/kernels/sentence_lengths.h"

/// Incremental attention by ATen's operators: the functions of incremental.h for devices without
/// phraseq's kernels.
namespace phraseq::nn {

/// The source-side keys of each decoding row, which are those of its sentence.
struct KeyRanges {
  const std::vector<int64_t>& offsets;  ///< [sentences + 1]
  const std::vector<int64_t>& sentence_of_row;

  int64_t begin(int64_t row) const { return offsets[sentence(row)]; }
  int64_t end(int64_t row) const { return offsets[sentence(row) + 1]; }
  int64_t count(int64_t row) const { return end(row) - begin(row); }
  int64_t longest() const { return nn::longest(offsets); }

 private:
  size_t sentence(int64_t row) const {
    return static_cast<size_t>(sentence_of_row[static_cast<size_t>(row)]);
  }
};

/// Attends to the steps decoded so far: kvq [rows, 3 · model] → [rows, model]. `blocks` are those
/// of a SelfAttentionCache, [steps, rows at that time, 2 · model], and hold all steps of the
/// ancestry.
PHRASEQ_API at::Tensor self_attention_reference(const at::Tensor& kvq,
                                                const std::vector<at::Tensor>& blocks,
                                                const Ancestry& ancestry,
                                                int64_t heads,
                                                double scale);

/// Attends to the source: q [rows, model], kv [source tokens, 2 · model] → [rows, model].
/// `mean_weights`, if given, is a tensor [rows, longest] of zeros that receives the mean weights.
PHRASEQ_API at::Tensor cross_attention_reference(const at::Tensor& q,
                                                 const at::Tensor& kv,
                                                 const KeyRanges& ranges,
                                                 int64_t heads,
                                                 double scale,
                                                 at::Tensor* mean_weights);

/// The same two functions for the kinds of keys and queries of `layout`, which reads q [rows, …]
/// and the keys and values of the blocks or of kv [source tokens, …]: [rows, out columns].
/// `weights`, if given, receives [query kinds, heads, rows, key kinds, longest].
PHRASEQ_API at::Tensor self_attention_reference(const at::Tensor& q,
                                                const std::vector<at::Tensor>& blocks,
                                                const Ancestry& ancestry,
                                                const AttentionLayout& layout);
PHRASEQ_API at::Tensor cross_attention_reference(const at::Tensor& q,
                                                 const at::Tensor& kv,
                                                 const KeyRanges& ranges,
                                                 const AttentionLayout& layout,
                                                 at::Tensor* weights);

}  // namespace phraseq::nn

#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/context.h"
#include "core/nn/kernels/vector_layout.h"

/// Scaled dot-product attention in which heads differ in what they attend to: each group of heads
/// has its own kinds of keys (n-grams of several lengths …) under one softmax, and its own kinds of
/// queries. Plain attention is one group with one kind of each.
namespace phraseq::nn {

/// One kind of query. Its result for tokens before `first` is zero. `out` is where results are
/// written: with a window, to several places (those that reading this layout would sum).
struct QueryKind {
  int64_t index = 0;                  ///< its index in recorded weights
  std::vector<VectorLayout> queries;  ///< one for each kind of key, or one for all kinds
  VectorLayout out;
  int64_t first = 0;

  const VectorLayout& against(size_t key_kind) const {
    return queries.size() == 1 ? queries[0] : queries[key_kind];
  }
};

/// Neighboring heads with the same kinds of keys and queries.
struct HeadGroup {
  int64_t first_head = 0, heads = 1;
  std::vector<KeyKind> keys;
  std::vector<QueryKind> queries;
};

/// The columns of its inputs from which attention reads queries, keys and values, and the columns
/// to which it writes its results.
struct AttentionLayout {
  int64_t heads = 1;  ///< heads of all groups
  int64_t head_dim = 1;
  int64_t query_kinds = 1, key_kinds = 1;  ///< distinct indices of all groups
  int64_t out_columns = 1;
  std::vector<HeadGroup> groups;

  /// The number of rows of weights per token, for dropout: the `heads` of attention_row_element.
  int64_t weight_rows() const { return heads * query_kinds; }
};

/// Plain attention: every head has one kind of query, from `query_column` on, and one kind of key:
/// keys from column 0 on, then values.
PHRASEQ_API AttentionLayout plain_layout(int64_t model,
                                         int64_t heads,
                                         double scale,
                                         int64_t query_column);

/// The rows of each sentence: sentence i is query rows queries[i] to queries[i+1] and key rows
/// keys[i] to keys[i+1].
struct SentenceRows {
  const std::vector<int64_t>& queries;
  const std::vector<int64_t>& keys;
};

/// q and kv as the variables of an autograd node: one matrix if they are the same one.
std::vector<at::Tensor> variables_of_attention(const at::Tensor& q, const at::Tensor& kv);

/// q [query tokens, …] and kv [key tokens, …] as `layout` reads them (they may be one matrix) →
/// [query tokens, out_columns]. `causal`: token i sees the keys of tokens 0..i. The result for a
/// token that sees no key is zero. `weights`, if given, receives [query kinds, heads, query tokens,
/// key kinds, longest key sentence] in fp32 (0 where there is no such key), not differentiable.
PHRASEQ_API at::Tensor grouped_attention(const at::Tensor& q,
                                         const at::Tensor& kv,
                                         const SentenceRows& rows,
                                         const AttentionLayout& layout,
                                         bool causal,
                                         double dropout,
                                         Context& context,
                                         at::Tensor* weights = nullptr);

}  // namespace phraseq::nn

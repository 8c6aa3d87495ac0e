#include "core/nn/functional/reference/grouped_attention_reference.h"

#include <algorithm>
#include <cstdlib>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

#include "core/nn/functional/reference/functional_reference.h"
#include "core/nn/functional/sum_type.h"
#include "core/nn/kernels/kernels.h"
#include "core/nn/padded_layout.h"

namespace phraseq::nn::reference {
namespace {

/// x [batch, time, columns] with its rows shifted to later times by `lag` (to earlier ones if
/// negative), filled with zeros.
at::Tensor shifted(const at::Tensor& x, int64_t lag) {
  const int64_t time = x.size(1), kept = std::max<int64_t>(time - std::abs(lag), 0);
  if (lag == 0)
    return x;
  const at::Tensor part = x.narrow(1, lag > 0 ? 0 : time - kept, kept);  // [batch, kept, columns]
  return lag > 0 ? at::constant_pad_nd(part, {0, 0, time - kept, 0})
                 : at::constant_pad_nd(part, {0, 0, 0, time - kept});  // [batch, time, columns]
}

/// x [batch, time, columns] → [batch, heads, time, parts · head_dim].
at::Tensor read(const at::Tensor& x, const VectorLayout& from, int64_t heads, int64_t head_dim) {
  std::vector<at::Tensor> parts;
  for (int64_t j = 0; j < from.parts; ++j) {
    at::Tensor sum;
    for (int64_t w = 0; w < from.window; ++w) {
      const int64_t column = from.column + w * from.window_step + j * from.part_step;
      const int64_t lag = from.window - 1 - w + from.part_lag * (from.parts - 1 - j);
      const at::Tensor piece =
          shifted(x.narrow(2, column, heads * head_dim), lag);  // [batch, time, heads · head_dim]
      sum = sum.defined() ? sum + piece : piece;
    }
    parts.push_back(
        sum.view({x.size(0), x.size(1), heads, head_dim}));  // [batch, time, heads, head_dim]
  }
  return at::cat(parts, 3).transpose(1, 2);  // [batch, heads, time, parts · head_dim]
}

/// Writes results [batch, heads, time, head_dim] to the columns of out [batch, time, columns] that
/// `to` describes.
void write(const at::Tensor& results, const VectorLayout& to, at::Tensor& out) {
  const int64_t columns = results.size(1) * results.size(3);
  const at::Tensor rows =  // [batch, time, heads · head_dim]
      results.transpose(1, 2).reshape({results.size(0), results.size(2), columns});
  for (int64_t w = 0; w < to.window; ++w) {
    out.narrow(2, to.column + w * to.window_step, columns)  // [batch, time, heads · head_dim]
        .copy_(shifted(rows, -(to.window - 1 - w)));
  }
}

/// The attention of one batch in padded form: q [batch, tgt_time, columns], kv [batch, src_time,
/// columns]. In the shapes below, `heads` are the heads of one group.
struct Padded {
  PaddedLayout queries, keys;
  at::Tensor q, kv;
  const AttentionLayout& layout;
  bool causal;

  /// Which keys of one kind each query of one kind sees, [batch, 1, tgt_time, src_time].
  at::Tensor visible(const QueryKind& query, const KeyKind& kind) const {
    const auto options = queries.place.options();
    const at::Tensor t = at::arange(keys.time, options);                     // [src_time]
    const at::Tensor i = at::arange(queries.time, options).unsqueeze(1);     // [tgt_time, 1]
    at::Tensor seen = at::logical_and(t.ge(kind.first), i.ge(query.first));  // [tgt_time, src_time]
    if (causal)
      seen = at::logical_and(seen, t.le(i));
    return at::logical_and(
        seen, keys.mask.view({keys.batch, 1, 1, keys.time}));  // [batch, 1, tgt_time, src_time]
  }

  /// Scaled products with one kind of key, [batch, heads, tgt_time, src_time].
  at::Tensor scores(const HeadGroup& group, const QueryKind& query, size_t kind) const {
    const at::Tensor queries_of_kind =  // [batch, heads, tgt_time, parts · head_dim]
        read(q, query.against(kind), group.heads, layout.head_dim);
    const at::Tensor keys_of_kind =  // [batch, heads, src_time, parts · head_dim]
        read(kv, group.keys[kind].key, group.heads, layout.head_dim);
    return at::matmul(queries_of_kind, keys_of_kind.transpose(2, 3)) *
           group.keys[kind].scale;  // [batch, heads, tgt_time, src_time]
  }

  /// Softmax over all kinds of keys, [batch, heads, tgt_time, kinds · src_time].
  at::Tensor shares(const HeadGroup& group, const QueryKind& query) const {
    std::vector<at::Tensor> all_scores, all_visible;
    for (size_t kind = 0; kind < group.keys.size(); ++kind) {
      all_scores.push_back(scores(group, query, kind));
      all_visible.push_back(visible(query, group.keys[kind]));
    }
    const at::Tensor hidden =
        at::cat(all_visible, 3).logical_not();  // [batch, 1, tgt_time, kinds · src_time]
    return at::softmax(at::cat(all_scores, 3).masked_fill(hidden, kMaskedScore), 3)
        .masked_fill(hidden, 0.0);  // [batch, heads, tgt_time, kinds · src_time]
  }

  /// The element numbers of the shares, [batch, heads, tgt_time, kinds · src_time].
  at::Tensor elements(const HeadGroup& group, const QueryKind& query) const {
    std::vector<at::Tensor> numbers;
    for (const KeyKind& kind : group.keys) {
      const int64_t start = kind.index * kernels::kKeyKindStride;
      numbers.push_back(at::arange(start, start + keys.time, queries.place.options()));
    }
    return attention_elements(queries,
                              layout.weight_rows(),
                              query.index * layout.heads + group.first_head,
                              group.heads,
                              at::cat(numbers));  // [kinds · src_time]
  }

  /// Weighted values of one kind of query, [batch, heads, tgt_time, head_dim]; `shares` [batch,
  /// heads, tgt_time, kinds · src_time].
  at::Tensor results(const HeadGroup& group, const at::Tensor& shares) const {
    at::Tensor sum;
    for (size_t kind = 0; kind < group.keys.size(); ++kind) {
      const at::Tensor values =  // [batch, heads, src_time, head_dim]
          read(kv, group.keys[kind].value, group.heads, layout.head_dim);
      const auto part = static_cast<int64_t>(kind) * keys.time;
      const at::Tensor product =  // [batch, heads, tgt_time, head_dim]
          at::matmul(shares.narrow(3, part, keys.time), values);
      sum = sum.defined() ? sum + product : product;
    }
    return sum.mul(queries.mask.view(
        {queries.batch, 1, queries.time, 1}));  // [batch, heads, tgt_time, head_dim]
  }

  /// [query kinds, heads of all groups, batch, tgt_time, key kinds, src_time].
  at::Tensor zero_weights() const {
    return at::zeros({layout.query_kinds,
                      layout.heads,
                      queries.batch,
                      queries.time,
                      layout.key_kinds,
                      keys.time},
                     q.options().dtype(at::kFloat));
  }

  /// Writes the shares to [query kinds, heads of all groups, batch, tgt_time, key kinds, src_time].
  void record(const HeadGroup& group,
              const QueryKind& query,
              const at::Tensor& shares,
              at::Tensor& weights) const {
    for (size_t kind = 0; kind < group.keys.size(); ++kind) {
      const at::Tensor part =  // [batch, heads, tgt_time, src_time]
          shares.detach().narrow(3, static_cast<int64_t>(kind) * keys.time, keys.time);
      weights[query.index]  // [heads of all groups, batch, tgt_time, key kinds, src_time]
          .narrow(
              0, group.first_head, group.heads)  // [heads, batch, tgt_time, key kinds, src_time]
          .select(3, group.keys[kind].index)     // [heads, batch, tgt_time, src_time]
          .copy_(part.transpose(0, 1));          // [heads, batch, tgt_time, src_time]
    }
  }

  /// [query kinds, heads of all groups, batch, tgt_time, key kinds, src_time] → without padding
  /// [query kinds, heads of all groups, query tokens, key kinds, src_time].
  at::Tensor packed(const at::Tensor& weights) const {
    return weights
        .flatten(2, 3)  // [query kinds, heads, batch · tgt_time, key kinds, src_time]
        .index_select(2, queries.place);  // [query kinds, heads, tokens, key kinds, src_time]
  }
};

}  // namespace

at::Tensor grouped_attention(const at::Tensor& q,
                             const at::Tensor& kv,
                             const SentenceRows& rows,
                             const AttentionLayout& layout,
                             bool causal,
                             double dropout,
                             uint64_t key,
                             at::Tensor* weights) {
  const auto wide = sum_type(q);
  const PaddedLayout queries(rows.queries, q.device()), keys(rows.keys, q.device());
  const Padded padded{
      queries, keys, queries.pad(q).to(wide), keys.pad(kv).to(wide), layout, causal};
  at::Tensor out =  // [batch, tgt_time, out_columns]
      at::zeros({queries.batch, queries.time, layout.out_columns}, q.options().dtype(wide));
  at::Tensor all_weights;  // [query kinds, heads, batch, tgt_time, key kinds, src_time]
  if (weights)
    all_weights = padded.zero_weights();
  for (const HeadGroup& group : layout.groups) {
    for (const QueryKind& query : group.queries) {
      at::Tensor shares = padded.shares(group, query);
      if (weights)
        padded.record(group, query, shares, all_weights);
      if (dropout > 0.0 && key != 0) {
        shares = shares * dropout_factors(padded.elements(group, query), key, dropout, wide);
      }
      write(padded.results(group, shares), query.out, out);
    }
  }
  if (weights)
    *weights = padded.packed(all_weights);
  return queries.pack(out).to(q.scalar_type());  // [query tokens, out_columns]
}

}  // namespace phraseq::nn::reference

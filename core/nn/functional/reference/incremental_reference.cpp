#include "core/nn/functional/reference/incremental_reference.h"

#include <numeric>

#include <ATen/ops/flatten.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>

#include "core/data/device/to_device.h"
#include "core/nn/functional/reference/grouped_attention_reference.h"

namespace phraseq::nn {

namespace {

/// softmax over the last dimension of scores · scale, in fp32 at least.
at::Tensor scaled_softmax(const at::Tensor& scores, double scale) {
  const auto type = scores.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  return at::softmax(scores.to(type) * scale, -1);
}

/// The keys and values of all steps along each row's ancestors, [rows, steps, columns]
/// (2 · model columns in plain attention).
at::Tensor gather_past(const std::vector<at::Tensor>& steps, const Ancestry& ancestry) {
  std::vector<at::Tensor> past;
  for (size_t step = 0; step < steps.size(); ++step) {
    std::vector<int64_t> places;
    for (int64_t row = 0; row < ancestry.rows(); ++row) places.push_back(ancestry.of(row)[step]);
    past.push_back(  // [rows, columns]
        steps[step].index_select(0, to_device(places, steps[step].device())));
  }
  return at::stack(past, 1);  // [rows, steps, columns]
}

/// One row's attention: q [model], kv [keys, 2 · model]; `weights` receives the mean over heads,
/// [keys].
at::Tensor attend_one(
    const at::Tensor& q, const at::Tensor& kv, int64_t heads, double scale, at::Tensor& weights) {
  const int64_t model = q.size(0), keys = kv.size(0), head_dim = model / heads;
  const at::Tensor k =  // [heads, keys, head_dim]
      kv.slice(1, 0, model).reshape({keys, heads, head_dim}).transpose(0, 1);
  const at::Tensor v =  // [heads, keys, head_dim]
      kv.slice(1, model).reshape({keys, heads, head_dim}).transpose(0, 1);
  const at::Tensor p =  // [heads, keys]
      scaled_softmax(at::matmul(k, q.view({heads, head_dim, 1})).squeeze(2), scale);
  weights = p.mean(0);                                                        // [keys]
  return at::matmul(p.to(v.scalar_type()).unsqueeze(1), v).reshape({model});  // [model]
}

}  // namespace

at::Tensor self_attention_reference(const at::Tensor& kvq,
                                    const std::vector<at::Tensor>& steps,
                                    const Ancestry& ancestry,
                                    int64_t heads,
                                    double scale) {
  const int64_t rows = kvq.size(0), model = kvq.size(1) / 3, head_dim = model / heads;
  const at::Tensor kv =  // [rows, steps, 2, heads, head_dim]
      gather_past(steps, ancestry).view({rows, -1, 2, heads, head_dim});
  const at::Tensor q =
      kvq.slice(1, 2 * model).reshape({rows, heads, 1, head_dim});  // [rows, heads, 1, head_dim]
  const at::Tensor k = kv.select(2, 0).permute({0, 2, 3, 1});    // [rows, heads, head_dim, steps]
  const at::Tensor v = kv.select(2, 1).transpose(1, 2);          // [rows, heads, steps, head_dim]
  const at::Tensor p = scaled_softmax(at::matmul(q, k), scale);  // [rows, heads, 1, steps]
  return at::matmul(p.to(v.scalar_type()), v).reshape({rows, model});  // [rows, model]
}

at::Tensor cross_attention_reference(const at::Tensor& q,
                                     const at::Tensor& kv,
                                     const KeyRanges& ranges,
                                     int64_t heads,
                                     double scale,
                                     at::Tensor* mean_weights) {
  at::Tensor out = at::zeros_like(q);  // a row without keys stays zero
  for (int64_t row = 0; row < q.size(0); ++row) {
    if (ranges.count(row) == 0)
      continue;
    at::Tensor weights;
    out[row].copy_(attend_one(q[row],
                              kv.slice(0, ranges.begin(row), ranges.end(row)),  // [keys, 2 · model]
                              heads,
                              scale,
                              weights));
    if (mean_weights != nullptr)
      (*mean_weights)[row].slice(0, 0, ranges.count(row)).copy_(weights);  // [keys]
  }
  return out;
}

namespace {

/// One query a row against keys that were gathered for it: q [rows, …], keys [keys of all rows, …]
/// → [rows, out columns].
at::Tensor attend_gathered(const at::Tensor& q,
                           const at::Tensor& keys,
                           const std::vector<int64_t>& key_offsets,
                           const AttentionLayout& layout,
                           at::Tensor* weights) {
  std::vector<int64_t> query_offsets(key_offsets.size());
  std::iota(query_offsets.begin(), query_offsets.end(), 0);
  return reference::grouped_attention(
      q, keys, {query_offsets, key_offsets}, layout, /*causal=*/false, 0.0, 0, weights);
}

}  // namespace

at::Tensor self_attention_reference(const at::Tensor& q,
                                    const std::vector<at::Tensor>& steps,
                                    const Ancestry& ancestry,
                                    const AttentionLayout& layout) {
  std::vector<int64_t> offsets;
  for (int64_t row = 0; row <= ancestry.rows(); ++row) offsets.push_back(row * ancestry.steps());
  return attend_gathered(q,
                         gather_past(steps, ancestry).flatten(0, 1),  // [rows · steps, columns]
                         offsets,
                         layout,
                         nullptr);
}

at::Tensor cross_attention_reference(const at::Tensor& q,
                                     const at::Tensor& kv,
                                     const KeyRanges& ranges,
                                     const AttentionLayout& layout,
                                     at::Tensor* weights) {
  std::vector<int64_t> places, offsets = {0};
  for (int64_t row = 0; row < q.size(0); ++row) {
    for (int64_t place = ranges.begin(row); place < ranges.end(row); ++place)
      places.push_back(place);
    offsets.push_back(static_cast<int64_t>(places.size()));
  }
  const at::Tensor keys =  // [keys of all rows, columns]
      kv.index_select(0, to_device(places, kv.device()));
  return attend_gathered(q, keys, offsets, layout, weights);
}

}  // namespace phraseq::nn

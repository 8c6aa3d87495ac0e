#include "core/nn/functional/device/flash_attention.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_flash_attention_backward.h>
#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/cat.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/nn/functional/device/device_offsets.h"
#include "core/nn/precision/compute_capability.h"

namespace phraseq::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// What the operator reads vectors by: 8 numbers of 16 bits.
constexpr int64_t kVector = 8;
constexpr int64_t kLongestVector = 256;

bool is_switched_off() {
  const char* const value = std::getenv("PHRASEQ_FLASH_ATTENTION");
  return value != nullptr && std::string_view(value) == "0";
}

bool has_operator(const at::Tensor& x) {
  const bool is_narrow = x.scalar_type() == at::kBFloat16 || x.scalar_type() == at::kHalf;
  return x.is_cuda() && is_narrow && !is_switched_off() && compute_capability(x.device()) >= 8;
}

/// Head after head from a column on, as the operator reads them.
bool is_plain(const VectorLayout& layout) {
  return layout.parts == 1 && layout.window == 1 && layout.column % kVector == 0;
}

bool is_plain(const AttentionLayout& layout) {
  if (layout.groups.size() != 1 || layout.groups[0].heads != layout.heads)
    return false;
  const HeadGroup& group = layout.groups[0];
  if (group.keys.size() != 1 || group.queries.size() != 1 || group.queries[0].queries.size() != 1)
    return false;
  const KeyKind& key = group.keys[0];
  const QueryKind& query = group.queries[0];
  return is_plain(key.key) && is_plain(key.value) && is_plain(query.queries[0]) &&
         is_plain(query.out) && key.first == 0 && query.first == 0 && query.out.column == 0 &&
         layout.out_columns == layout.heads * layout.head_dim;
}

bool has_aligned_rows(const at::Tensor& x) {
  return reinterpret_cast<uintptr_t>(x.const_data_ptr()) % (2 * kVector) == 0 &&
         x.size(1) % kVector == 0;
}

int64_t shortest(const std::vector<int64_t>& offsets) {
  int64_t length = offsets.size() < 2 ? 0 : offsets[1] - offsets[0];
  for (size_t i = 1; i < offsets.size(); ++i)
    length = std::min(length, offsets[i] - offsets[i - 1]);
  return length;
}

int64_t longest(const std::vector<int64_t>& offsets) {
  int64_t length = 0;
  for (size_t i = 1; i < offsets.size(); ++i)
    length = std::max(length, offsets[i] - offsets[i - 1]);
  return length;
}

/// The numbers of a call; the backward pass keeps them.
struct Call final : torch::CustomClassHolder {
  int64_t query_column, key_column, value_column;
  int64_t heads, head_dim;
  int64_t longest_queries, longest_keys;
  double scale;
  bool causal;

  Call(const AttentionLayout& layout, const SentenceRows& rows, bool is_causal)
      : query_column(layout.groups[0].queries[0].queries[0].column),
        key_column(layout.groups[0].keys[0].key.column),
        value_column(layout.groups[0].keys[0].value.column),
        heads(layout.heads),
        head_dim(layout.head_dim),
        longest_queries(longest(rows.queries)),
        longest_keys(longest(rows.keys)),
        scale(layout.groups[0].keys[0].scale),
        causal(is_causal) {}

  /// x [tokens, columns] → [tokens, heads, head_dim], a view.
  at::Tensor vectors(const at::Tensor& x, int64_t column) const {
    return x
        .narrow(1, column, heads * head_dim)  // [tokens, heads · head_dim]
        .view({x.size(0), heads, head_dim});  // [tokens, heads, head_dim]
  }
};

/// Gradients of columns, and where these begin.
struct ColumnGradient {
  int64_t column;
  at::Tensor gradient;  ///< [tokens, heads, head_dim]
};

/// [tokens, columns]
at::Tensor side_by_side(std::vector<ColumnGradient> parts) {
  std::sort(parts.begin(), parts.end(), [](const ColumnGradient& a, const ColumnGradient& b) {
    return a.column < b.column;
  });
  std::vector<at::Tensor> gradients;
  for (const ColumnGradient& part : parts) gradients.push_back(part.gradient.flatten(1));
  return gradients.size() == 1 ? gradients[0] : at::cat(gradients, 1);
}

/// Variables: one matrix that has queries, keys and values, or two (queries; keys and values).
class FlashAttention : public torch::autograd::Function<FlashAttention> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            at::TensorList matrices,
                            const c10::intrusive_ptr<Call>* call,
                            const at::Tensor* query_offsets,
                            const at::Tensor* key_offsets) {
    const at::AutoDispatchBelowADInplaceOrView no_graph_inside;
    const at::Tensor &q = matrices.front(), &kv = matrices.back();
    const Call& by = **call;
    const auto [out, log_sums, random_state, unused, no_weights] =
        at::_flash_attention_forward(by.vectors(q, by.query_column),
                                     by.vectors(kv, by.key_column),
                                     by.vectors(kv, by.value_column),
                                     *query_offsets,
                                     *key_offsets,
                                     by.longest_queries,
                                     by.longest_keys,
                                     /*dropout_p=*/0.0,
                                     by.causal,
                                     /*return_debug_mask=*/false,
                                     by.scale);  // out [query tokens, heads, head_dim]
    ctx->save_for_backward(
        {q, kv, out, log_sums, *query_offsets, *key_offsets, random_state, unused});
    ctx->saved_data["one matrix"] = matrices.size() == 1;
    ctx->saved_data["call"] = c10::IValue::make_capsule(*call);
    return out.flatten(1);  // [query tokens, heads · head_dim]
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    const at::Tensor &q = saved[0], &kv = saved[1];
    const auto capsule = ctx->saved_data["call"].toCapsule();
    const Call& by = static_cast<const Call&>(*capsule);
    const auto [dq, dk, dv] = at::_flash_attention_backward(by.vectors(outputs[0].contiguous(), 0),
                                                            by.vectors(q, by.query_column),
                                                            by.vectors(kv, by.key_column),
                                                            by.vectors(kv, by.value_column),
                                                            saved[2],
                                                            saved[3],
                                                            saved[4],
                                                            saved[5],
                                                            by.longest_queries,
                                                            by.longest_keys,
                                                            /*dropout_p=*/0.0,
                                                            by.causal,
                                                            saved[6],
                                                            saved[7],
                                                            by.scale);
    const ColumnGradient query{by.query_column, dq}, key{by.key_column, dk},
        value{by.value_column, dv};
    if (ctx->saved_data["one matrix"].toBool())
      return {side_by_side({query, key, value}), {}, {}, {}};
    return {side_by_side({query}), side_by_side({key, value}), {}, {}, {}};
  }
};

}  // namespace

bool flash_attention_applies(const at::Tensor& q,
                             const at::Tensor& kv,
                             const SentenceRows& rows,
                             const AttentionLayout& layout,
                             bool causal) {
  return has_operator(q) && kv.scalar_type() == q.scalar_type() && is_plain(layout) &&
         layout.head_dim % kVector == 0 && layout.head_dim <= kLongestVector &&
         has_aligned_rows(q) && has_aligned_rows(kv) &&
         (shortest(rows.queries) > 0 || !at::GradMode::is_enabled()) && shortest(rows.keys) > 0 &&
         (!causal || rows.queries == rows.keys);
}

at::Tensor flash_attention(const at::Tensor& q,
                           const at::Tensor& kv,
                           const SentenceRows& rows,
                           const AttentionLayout& layout,
                           bool causal) {
  const auto call = c10::make_intrusive<Call>(layout, rows, causal);
  const at::Tensor query_offsets = device_offsets(rows.queries, q.device());
  const at::Tensor key_offsets = device_offsets(rows.keys, q.device());
  tensor_list matrices = {q.contiguous()};
  if (!q.is_same(kv))
    matrices.push_back(kv.contiguous());
  return FlashAttention::apply(at::TensorList(matrices), &call, &query_offsets, &key_offsets);
}

}  // namespace phraseq::nn

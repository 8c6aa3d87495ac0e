#include "core/nn/functional/device/attention/flash_attention.h"

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

#include "core/nn/functional/device/attention/device_offsets.h"
#include "core/nn/functional/device/attention/plain_attention.h"
#include "core/nn/kernels/sentence_lengths.h"
#include "core/nn/precision/compute_capability.h"

namespace phraseq::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// The operator reads vectors in units of 8 numbers of 16 bits.
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

bool has_aligned_rows(const at::Tensor& x) {
  return reinterpret_cast<uintptr_t>(x.const_data_ptr()) % (2 * kVector) == 0 &&
         x.size(1) % kVector == 0;
}

/// The numbers of a call, stored for the backward pass.
struct Call final : torch::CustomClassHolder {
  PlainColumns columns;
  int64_t longest_queries, longest_keys;
  bool causal;

  Call(const AttentionLayout& layout, const SentenceRows& rows, bool is_causal)
      : columns(layout),
        longest_queries(longest(rows.queries)),
        longest_keys(longest(rows.keys)),
        causal(is_causal) {}

  /// x [tokens, columns] → [tokens, heads, head_dim], a view.
  at::Tensor vectors(const at::Tensor& x, int64_t column) const {
    return columns.of(x, column).view(
        {x.size(0), columns.heads, columns.head_dim});  // [tokens, heads, head_dim]
  }
};

/// The gradient of a range of columns, and its first column.
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
        at::_flash_attention_forward(by.vectors(q, by.columns.query),
                                     by.vectors(kv, by.columns.key),
                                     by.vectors(kv, by.columns.value),
                                     *query_offsets,
                                     *key_offsets,
                                     by.longest_queries,
                                     by.longest_keys,
                                     /*dropout_p=*/0.0,
                                     by.causal,
                                     /*return_debug_mask=*/false,
                                     by.columns.scale);  // out [query tokens, heads, head_dim]
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
                                                            by.vectors(q, by.columns.query),
                                                            by.vectors(kv, by.columns.key),
                                                            by.vectors(kv, by.columns.value),
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
                                                            by.columns.scale);
    const ColumnGradient query{by.columns.query, dq}, key{by.columns.key, dk},
        value{by.columns.value, dv};
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
  const tensor_list matrices = variables_of_attention(q, kv);
  return FlashAttention::apply(at::TensorList(matrices), &call, &query_offsets, &key_offsets);
}

}  // namespace phraseq::nn

#include "core/nn/functional/grouped_attention.h"

#include <algorithm>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/base/error.h"
#include "core/base/work_profile.h"
#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/functional/device/attention/fused_attention.h"
#include "core/nn/functional/reference/grouped_attention_reference.h"
#include "core/nn/kernels/sentence_lengths.h"

namespace phraseq::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// Everything about a call except its matrices, stored for the backward pass.
struct Call final : torch::CustomClassHolder {
  std::vector<int64_t> queries, keys;  ///< offsets
  AttentionLayout layout;
  bool causal = false;
  double dropout = 0.0;
  uint64_t key = 0;

  int64_t sentences() const { return static_cast<int64_t>(queries.size()) - 1; }
};

std::vector<kernels::QueryColumns> query_columns(const HeadGroup& group) {
  std::vector<kernels::QueryColumns> columns;
  for (const QueryKind& kind : group.queries) {
    columns.push_back({kind.queries.data(),
                       kind.queries.size() == 1 && group.keys.size() > 1,
                       kind.out,
                       kind.first,
                       kind.index});
  }
  return columns;
}

/// The part of an attention task that the heads of one group share.
template <typename T>
kernels::AttentionTask<T> group_task(const Call& call,
                                     const HeadGroup& group,
                                     const std::vector<kernels::QueryColumns>& queries,
                                     const at::Tensor& q,
                                     const at::Tensor& kv,
                                     const at::Tensor& log_sums) {
  return {.q = cpu::data<T>(q),
          .kv = cpu::data<T>(kv),
          .q_stride = q.size(1),
          .kv_stride = kv.size(1),
          .out_stride = call.layout.out_columns,
          .keys = group.keys.data(),
          .key_kinds = static_cast<int64_t>(group.keys.size()),
          .queries = queries.data(),
          .query_kinds = static_cast<int64_t>(queries.size()),
          .first_query = 0,
          .query_count = longest(call.queries),
          .first_key = 0,
          .key_count = longest(call.keys),
          .head = 0,
          .weight_head = 0,
          .heads = call.layout.heads,
          .weight_rows = call.layout.weight_rows(),
          .head_dim = call.layout.head_dim,
          .causal = call.causal,
          .dropout = cpu::make_dropout(call.dropout, call.key),
          .log_sums = cpu::mutable_data<kernels::Sum<T>>(log_sums),
          .query_rows = q.size(0)};
}

/// Calls work(task, scratch) for every head of every sentence; sentences are distributed among the
/// threads.
template <typename T, typename Work>
void for_each_head(const Call& call,
                   const at::Tensor& q,
                   const at::Tensor& kv,
                   const at::Tensor& log_sums,
                   const Work& work) {
  for (const HeadGroup& group : call.layout.groups) {
    const auto queries = query_columns(group);
    const auto common = group_task<T>(call, group, queries, q, kv, log_sums);
    const int64_t scratch_size = cpu::loops<T>().attention_scratch(common);
    at::parallel_for(0, call.sentences(), 1, [&](int64_t begin, int64_t end) {
      const cpu::ThreadScratch<kernels::Sum<T>> scratch(scratch_size);
      auto task = common;
      for (int64_t s = begin; s < end; ++s) {
        const auto sentence = static_cast<size_t>(s);
        task.first_query = call.queries[sentence];
        task.query_count = call.queries[sentence + 1] - task.first_query;
        task.first_key = call.keys[sentence];
        task.key_count = call.keys[sentence + 1] - task.first_key;
        for (task.head = 0; task.head < group.heads; ++task.head) {
          task.weight_head = group.first_head + task.head;
          work(task, scratch.get());
        }
      }
    });
  }
}

/// Variables: one matrix that has queries, keys and values, or two (queries; keys and values).
class GroupedAttention : public torch::autograd::Function<GroupedAttention> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            at::TensorList matrices,
                            const c10::intrusive_ptr<Call>* call,
                            at::Tensor* weights) {
    const at::Tensor &q = matrices.front(), &kv = matrices.back();
    const AttentionLayout& layout = (*call)->layout;
    const at::Tensor out =
        at::empty({q.size(0), layout.out_columns}, q.options());  // [query tokens, out_columns]
    const at::Tensor log_sums =  // [query kinds · heads, query tokens]
        at::empty({layout.query_kinds * layout.heads, q.size(0)}, cpu::sum_options(q));
    if (weights) {
      *weights = at::zeros(
          {layout.query_kinds, layout.heads, q.size(0), layout.key_kinds, longest((*call)->keys)},
          q.options().dtype(at::kFloat));
    }
    cpu::for_type(out.scalar_type(), [&]<typename T>(T*) {
      const kernels::AttentionResult<T> result{
          cpu::mutable_data<T>(out),
          weights ? cpu::mutable_data<float>(*weights) : nullptr,
          layout.key_kinds,
          longest((*call)->keys)};
      for_each_head<T>(**call, q, kv, log_sums, [&](const auto& task, auto* scratch) {
        cpu::loops<T>().attention(task, result, scratch);
      });
    });
    ctx->save_for_backward({q, kv, log_sums});
    ctx->saved_data["one matrix"] = matrices.size() == 1;
    ctx->saved_data["call"] = c10::IValue::make_capsule(*call);
    return out;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    const at::Tensor &q = saved[0], &kv = saved[1], &log_sums = saved[2];
    const auto capsule = ctx->saved_data["call"].toCapsule();
    const Call& call = static_cast<const Call&>(*capsule);
    const at::Tensor d_out = outputs[0].contiguous();
    const at::Tensor dq = at::empty(q.sizes(), q.options());
    const bool one = ctx->saved_data["one matrix"].toBool();
    const at::Tensor dkv = one ? dq : at::empty(kv.sizes(), kv.options());
    cpu::for_type(d_out.scalar_type(), [&]<typename T>(T*) {
      const kernels::AttentionGradients<T> gradients{
          cpu::data<T>(d_out), cpu::mutable_data<T>(dq), cpu::mutable_data<T>(dkv)};
      for_each_head<T>(call, q, kv, log_sums, [&](const auto& task, auto* scratch) {
        cpu::loops<T>().attention_backward(task, gradients, scratch);
      });
    });
    tensor_list result = one ? tensor_list{dq} : tensor_list{dq, dkv};
    result.resize(result.size() + 2);  // call, weights
    return result;
  }
};

/// The number of distinct columns that a layout reads.
int64_t columns_of(const VectorLayout& layout, const HeadGroup& group, int64_t head_dim) {
  const int64_t pieces = layout.window * (layout.part_step == 0 ? 1 : layout.parts);
  return pieces * group.heads * head_dim;
}

struct ReadColumns {
  int64_t queries = 0, keys_values = 0;

  explicit ReadColumns(const AttentionLayout& layout) {
    for (const HeadGroup& group : layout.groups) {
      for (const QueryKind& kind : group.queries) {
        for (const VectorLayout& query : kind.queries)
          queries += columns_of(query, group, layout.head_dim);
      }
      for (const KeyKind& kind : group.keys) {
        keys_values += columns_of(kind.key, group, layout.head_dim) +
                       columns_of(kind.value, group, layout.head_dim);
      }
    }
  }
};

/// Gradients are written, not added, so every column must be read by exactly one layout.
bool fit_columns(const at::Tensor& q, const at::Tensor& kv, const ReadColumns& read) {
  const bool one = q.is_same(kv);
  return q.dim() == 2 && kv.dim() == 2 &&
         q.size(1) == read.queries + (one ? read.keys_values : 0) &&
         kv.size(1) == read.keys_values + (one ? read.queries : 0);
}

bool fit_rows(const at::Tensor& q, const at::Tensor& kv, const SentenceRows& rows) {
  return rows.queries.size() == rows.keys.size() && !rows.queries.empty() &&
         q.size(0) == rows.queries.back() && kv.size(0) == rows.keys.back();
}

/// Whether every kind of query has one vector for all kinds of keys, or one for each.
bool is_complete(const HeadGroup& group) {
  bool complete = !group.keys.empty() && group.keys.size() <= static_cast<size_t>(kMaxKeyKinds);
  for (const QueryKind& kind : group.queries) {
    const size_t count = kind.queries.size();
    complete = complete && count == group.queries[0].queries.size() &&
               (count == 1 || count == group.keys.size());
  }
  return complete;
}

void check_grouped_shapes(const at::Tensor& q,
                          const at::Tensor& kv,
                          const SentenceRows& rows,
                          const AttentionLayout& layout) {
  const ReadColumns read(layout);
  const bool fits = fit_columns(q, kv, read) && fit_rows(q, kv, rows) &&
                    std::all_of(layout.groups.begin(), layout.groups.end(), is_complete);
  if (fits)
    return;
  throw UsageError(fmt::format("attention: queries {} and keys {} do not match {} heads of {} that "
                               "read {} and {} columns over {} and {} tokens",
                               q.sizes(),
                               kv.sizes(),
                               layout.heads,
                               layout.head_dim,
                               read.queries,
                               read.keys_values,
                               rows.queries.empty() ? 0 : rows.queries.back(),
                               rows.keys.empty() ? 0 : rows.keys.back()),
                   "Expected one row per token, the same number of sentences on both sides, and "
                   "every column that the heads read.");
}

}  // namespace

AttentionLayout plain_layout(int64_t model, int64_t heads, double scale, int64_t query_column) {
  AttentionLayout layout;
  HeadGroup& group = layout.groups.emplace_back();
  group.heads = heads;
  KeyKind& key = group.keys.emplace_back();
  key.value.column = model;
  key.scale = scale;
  group.queries.emplace_back().queries.push_back({.column = query_column});
  layout.heads = heads;
  layout.head_dim = model / heads;
  layout.out_columns = model;
  return layout;
}

std::vector<at::Tensor> variables_of_attention(const at::Tensor& q, const at::Tensor& kv) {
  std::vector<at::Tensor> matrices = {q.contiguous()};
  if (!q.is_same(kv))
    matrices.push_back(kv.contiguous());
  return matrices;
}

at::Tensor grouped_attention(const at::Tensor& q,
                             const at::Tensor& kv,
                             const SentenceRows& rows,
                             const AttentionLayout& layout,
                             bool causal,
                             double dropout,
                             Context& context,
                             at::Tensor* weights) {
  check_grouped_shapes(q, kv, rows, layout);
  const WorkSpan span(Work::kAttention);
  const uint64_t key = cpu::dropout_key(dropout, context);
  if (weights == nullptr) {
    const at::Tensor out = fused_attention(q, kv, rows, layout, causal, dropout, key);
    if (out.defined())
      return out;
  }
  if (!cpu::has_kernels(q))
    return reference::grouped_attention(q, kv, rows, layout, causal, dropout, key, weights);
  const auto call = c10::make_intrusive<Call>();
  call->queries = rows.queries;
  call->keys = rows.keys;
  call->layout = layout;
  call->causal = causal;
  call->dropout = dropout;
  call->key = key;
  const tensor_list matrices = variables_of_attention(q, kv);
  return GroupedAttention::apply(at::TensorList(matrices), &call, weights);
}

}  // namespace phraseq::nn

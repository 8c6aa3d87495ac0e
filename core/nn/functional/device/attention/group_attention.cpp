#include "core/nn/functional/device/attention/group_attention.h"

#include <algorithm>
#include <initializer_list>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/nn/functional/device/attention/attention_tiles.h"
#include "core/nn/functional/device/attention/packed_attention.h"
#include "core/nn/functional/device/attention/token_windows.h"
#include "core/nn/functional/device/gpu_kernels.h"
#include "core/nn/kernels/kernels.h"

namespace phraseq::nn::gpu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr size_t kKeyKinds = 4, kQueryKinds = 2;

/// The structs KeyColumns, QueryColumns and GroupShape of grouped_attention.cu.
struct KeyColumns {
  int key, value, parts, part_step, first, number;
  float scale;
};
struct DeviceQueryColumns {
  int query[kKeyKinds], part_step[kKeyKinds];
  int first, out, kind;
};
struct GroupShape {
  long long tiles = 0;
  long long query_stride = 0, key_stride = 0, out_stride = 0;
  int query_tokens = 0, causal = 0;
  int heads = 0, first_head = 0, all_heads = 0, token_rows = 0;
  int query_kinds = 0, key_kinds = 0, one_query = 0;
  Mask mask;
  KeyColumns keys[kKeyKinds] = {};
  DeviceQueryColumns queries[kQueryKinds] = {};
};

/// A layout whose vectors have been copied where they depend on several tokens.
struct Windows {
  TokenWindows queries, keys_values, results;

  explicit Windows(const AttentionLayout& layout) {
    for (const HeadGroup& group : layout.groups) {
      const int64_t width = group.heads * layout.head_dim;
      for (const QueryKind& kind : group.queries) {
        for (const VectorLayout& query : kind.queries) queries.add(query, width);
        results.add(kind.out, width);
      }
      for (const KeyKind& kind : group.keys) {
        keys_values.add(kind.key, width);
        keys_values.add(kind.value, width);
      }
    }
  }
  bool fit() const { return queries.fit() && keys_values.fit() && results.fit(); }
};

/// Everything about a call except its matrices, stored for the backward pass.
struct GroupCall final : torch::CustomClassHolder {
  explicit GroupCall(const AttentionLayout& by) : layout(by), windows(by) {}

  AttentionLayout layout;
  Windows windows;
  std::vector<int64_t> queries, keys;  ///< offsets
  at::Tensor query_tiles, key_tiles;   ///< key_tiles: only for a backward pass
  bool causal = false;
  Mask mask;

  KeyColumns columns_of(const KeyKind& kind) const {
    const VectorLayout key = windows.keys_values.place_of(kind.key);
    return {static_cast<int>(key.column),
            static_cast<int>(windows.keys_values.place_of(kind.value).column),
            static_cast<int>(key.parts),
            static_cast<int>(key.part_step),
            static_cast<int>(kind.first),
            static_cast<int>(kind.index * kernels::kKeyKindStride),
            static_cast<float>(kind.scale)};
  }
  DeviceQueryColumns columns_of(const QueryKind& kind, size_t key_kinds) const {
    DeviceQueryColumns columns{};
    for (size_t k = 0; k < key_kinds; ++k) {
      const VectorLayout query = windows.queries.place_of(kind.against(k));
      columns.query[k] = static_cast<int>(query.column);
      columns.part_step[k] = static_cast<int>(query.part_step);
    }
    columns.first = static_cast<int>(kind.first);
    columns.out = static_cast<int>(windows.results.place_of(kind.out).column);
    columns.kind = static_cast<int>(kind.index);
    return columns;
  }
  GroupShape shape_of(const HeadGroup& group) const {
    GroupShape shape;
    shape.query_tokens = static_cast<int>(queries.back());
    shape.causal = causal ? 1 : 0;
    shape.heads = static_cast<int>(group.heads);
    shape.first_head = static_cast<int>(group.first_head);
    shape.all_heads = static_cast<int>(layout.heads);
    shape.token_rows = static_cast<int>(layout.weight_rows());
    shape.key_kinds = static_cast<int>(group.keys.size());
    shape.query_kinds = static_cast<int>(group.queries.size());
    shape.one_query = group.queries[0].queries.size() == 1 ? 1 : 0;
    shape.mask = mask;
    for (size_t k = 0; k < group.keys.size(); ++k) shape.keys[k] = columns_of(group.keys[k]);
    for (size_t k = 0; k < group.queries.size(); ++k)
      shape.queries[k] = columns_of(group.queries[k], group.keys.size());
    return shape;
  }
};

/// Launches a kernel for each group of heads: a warp for each tile and each head, and, if
/// `by_query_kind`, each kind of query.
class Launcher {
 public:
  Launcher(const GroupCall& call, const at::Tensor& q, const at::Tensor& kv, const at::Tensor& out)
      : call_(call), q_(q), kv_(kv), out_(out) {}

  void run(const char* function,
           const at::Tensor& tiles,
           bool by_query_kind,
           std::initializer_list<at::Tensor> tensors) const {
    if (tiles.size(0) == 0)
      return;
    for (const HeadGroup& group : call_.layout.groups) {
      GroupShape shape = call_.shape_of(group);
      shape.tiles = tiles.size(0);
      shape.query_stride = q_.size(1);
      shape.key_stride = kv_.size(1);
      shape.out_stride = out_.size(1);
      Arguments arguments;
      for (const at::Tensor& tensor : tensors) arguments.add(tensor);
      arguments.add_value(shape);
      launch(function,
             tiles,
             by_query_kind ? shape.heads * shape.query_kinds : shape.heads,
             arguments);
    }
  }

 private:
  void launch(const char* function,
              const at::Tensor& tiles,
              int rows,
              const Arguments& arguments) const {
    constexpr int64_t kWarpsOfABlock = 4;
    gpu::launch(tiles,
                cuda::grouped_attention_kernel(element_of(q_.scalar_type()), call_.layout.head_dim),
                function,
                {.blocks = blocks_for(tiles.size(0), kWarpsOfABlock),
                 .blocks_y = static_cast<uint32_t>(rows),
                 .threads = 32 * kWarpsOfABlock},
                arguments);
  }

  const GroupCall& call_;
  const at::Tensor &q_, &kv_, &out_;
};

/// Variables: one matrix that has queries, keys and values, or two (queries; keys and values).
class GroupAttention : public torch::autograd::Function<GroupAttention> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            at::TensorList matrices,
                            const c10::intrusive_ptr<GroupCall>* given) {
    const at::AutoDispatchBelowADInplaceOrView no_graph_inside;
    const GroupCall& call = **given;
    const Windows& windows = call.windows;
    const at::Tensor q = windows.queries.vectors_of(matrices.front(), call.queries);
    const at::Tensor kv = windows.keys_values.vectors_of(matrices.back(), call.keys);
    const at::Tensor out =  // [query tokens, out_columns]
        windows.results.like(at::empty({q.size(0), call.layout.out_columns}, q.options()));
    const at::Tensor results = windows.results.room_for(out);
    const at::Tensor log_sums =  // [query kinds · heads, query tokens]
        at::empty({call.layout.weight_rows(), q.size(0)}, q.options().dtype(at::kFloat));
    Launcher(call, q, kv, results)
        .run("grouped_attention",
             call.query_tiles,
             true,
             {q, kv, call.query_tiles, results, log_sums});
    windows.results.write_to(out, results, call.queries);
    ctx->save_for_backward({q, kv, results, log_sums});
    ctx->saved_data["columns"] = std::vector<int64_t>{matrices[0].size(1), matrices.back().size(1)};
    ctx->saved_data["one matrix"] = matrices.size() == 1;
    ctx->saved_data["call"] = c10::IValue::make_capsule(*given);
    return out;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    const auto capsule = ctx->saved_data["call"].toCapsule();
    const GroupCall& call = static_cast<const GroupCall&>(*capsule);
    const at::Tensor dout = aligned(outputs[0]);
    const auto columns = ctx->saved_data["columns"].toIntVector();
    const at::Tensor &q = saved[0], &kv = saved[1];
    const at::Tensor dq = at::empty({q.size(0), columns[0]}, q.options());
    const bool is_one = ctx->saved_data["one matrix"].toBool();
    const at::Tensor dkv = is_one ? dq : at::empty({kv.size(0), columns[1]}, kv.options());
    find_gradients(call, saved, dout, dq, dkv);
    return is_one ? tensor_list{dq, {}} : tensor_list{dq, dkv, {}};
  }

 private:
  static void find_gradients(const GroupCall& call,
                             const tensor_list& saved,
                             const at::Tensor& dout,
                             const at::Tensor& dq,
                             const at::Tensor& dkv) {
    const Windows& windows = call.windows;
    const at::Tensor &q = saved[0], &kv = saved[1], &results = saved[2], &log_sums = saved[3];
    const at::Tensor ups = windows.results.vectors_of(dout, call.queries);
    const at::Tensor dqueries = windows.queries.room_for(dq);
    const at::Tensor dkeys_values = windows.keys_values.room_for(dkv);
    const at::Tensor deltas = at::empty(log_sums.sizes(), log_sums.options());
    const Launcher launcher(call, q, kv, results);
    launcher.run("grouped_attention_backward_queries",
                 call.query_tiles,
                 true,
                 {ups, q, kv, results, call.query_tiles, log_sums, deltas, dqueries});
    launcher.run("grouped_attention_backward_keys",
                 call.key_tiles,
                 false,
                 {ups, q, kv, call.key_tiles, log_sums, deltas, dkeys_values});
    windows.queries.write_to(dq, dqueries, call.queries);
    windows.keys_values.write_to(dkv, dkeys_values, call.keys);
  }
};

bool fits_kernel(const HeadGroup& group) {
  constexpr int64_t kMaxRows = 65535;
  const auto one_for_all = [&](const QueryKind& kind) {
    return kind.queries.size() > 1 ||
           std::all_of(group.keys.begin(), group.keys.end(), [&](const KeyKind& key) {
             return key.key.parts == group.keys[0].key.parts;
           });
  };
  return group.keys.size() <= kKeyKinds && group.queries.size() <= kQueryKinds &&
         group.heads * static_cast<int64_t>(group.queries.size()) <= kMaxRows &&
         std::all_of(group.queries.begin(), group.queries.end(), one_for_all);
}

bool kernel_applies(const at::Tensor& q, const at::Tensor& kv, const AttentionLayout& layout) {
  return have_tensor_cores(q, kv) && is_head_dim_of_tiles(layout.head_dim) &&
         std::all_of(layout.groups.begin(), layout.groups.end(), fits_kernel) &&
         q.size(1) % kColumnMultiple == 0 && kv.size(1) % kColumnMultiple == 0 &&
         layout.out_columns % kColumnMultiple == 0 && are_aligned({q, kv});
}

}  // namespace

at::Tensor group_attention(const at::Tensor& q,
                           const at::Tensor& kv,
                           const SentenceRows& rows,
                           const AttentionLayout& layout,
                           bool causal,
                           double p,
                           uint64_t key) {
  const bool are_other_sentences = causal && rows.queries != rows.keys;
  if (are_other_sentences || !kernel_applies(q, kv, layout))
    return {};
  const auto call = c10::make_intrusive<GroupCall>(layout);
  if (!call->windows.fit())
    return {};
  call->queries = rows.queries;
  call->keys = rows.keys;
  call->causal = causal;
  call->mask = mask_of(p, key);
  call->query_tiles = attention_tiles(rows.queries, rows.keys, q.device());
  if (at::GradMode::is_enabled())
    call->key_tiles = attention_tiles(rows.keys, rows.queries, q.device());
  const tensor_list matrices = variables_of_attention(q, kv);
  return GroupAttention::apply(at::TensorList(matrices), &call);
}

}  // namespace phraseq::nn::gpu

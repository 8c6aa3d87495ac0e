#include "core/nn/functional/device/attention/packed_attention.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/nn/functional/device/attention/attention_tiles.h"
#include "core/nn/functional/device/attention/plain_attention.h"
#include "core/nn/functional/device/gpu_kernels.h"
#include "core/nn/precision/compute_capability.h"

namespace phraseq::nn::gpu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr int64_t kTile = 16;
/// Beyond it, FlashAttention's larger tiles pay.
constexpr int64_t kLongestSentence = 256;

/// AttentionShape of attention.cu.
struct AttentionShape {
  long long tiles = 0;
  long long query_stride = 0, key_stride = 0, out_stride = 0;
  int query_tokens = 0, heads = 0, causal = 0;
  float scale = 1.0F;
  unsigned long long key = 0;
  uint32_t threshold = 0;
  float kept = 1.0F;
};

/// The numbers of a call; the backward pass keeps them.
struct Call final : torch::CustomClassHolder {
  PlainColumns columns;
  int element;  ///< the type of activations, as the kernels number it
  AttentionShape shape;

  Call(const at::Tensor& q,
       const at::Tensor& kv,
       const AttentionLayout& layout,
       bool causal,
       const Mask& mask)
      : columns(layout), element(element_of(q.scalar_type())) {
    shape.query_stride = q.size(1);
    shape.key_stride = kv.size(1);
    shape.out_stride = columns.width();
    shape.query_tokens = static_cast<int>(q.size(0));
    shape.heads = static_cast<int>(columns.heads);
    shape.causal = causal ? 1 : 0;
    shape.scale = static_cast<float>(columns.scale);
    shape.key = mask.key;
    shape.threshold = mask.threshold;
    shape.kept = mask.kept;
  }

  at::Tensor queries(const at::Tensor& q) const { return columns.of(q, columns.query); }
  at::Tensor keys(const at::Tensor& kv) const { return columns.of(kv, columns.key); }
  at::Tensor values(const at::Tensor& kv) const { return columns.of(kv, columns.value); }

  /// A warp for each tile and head.
  void run(const char* function, const at::Tensor& tiles, Arguments& arguments) const {
    constexpr int64_t kWarpsOfABlock = 4;
    AttentionShape own = shape;
    own.tiles = tiles.size(0);
    arguments.add_value(own);
    if (own.tiles == 0)
      return;
    launch(tiles,
           cuda::attention_kernel(element, columns.head_dim),
           function,
           {.blocks = blocks_for(own.tiles, kWarpsOfABlock),
            .blocks_y = static_cast<uint32_t>(columns.heads),
            .threads = 32 * kWarpsOfABlock},
           arguments);
  }
};

/// A gradient like x, of which `columns` columns are written.
at::Tensor new_gradient(const at::Tensor& x, int64_t columns) {
  return columns == x.size(1) ? at::empty(x.sizes(), x.options())
                              : at::zeros(x.sizes(), x.options());
}

/// Variables: one matrix that has queries, keys and values, or two (queries; keys and values).
class PackedAttention : public torch::autograd::Function<PackedAttention> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            at::TensorList matrices,
                            const c10::intrusive_ptr<Call>* call,
                            const at::Tensor* query_tiles,
                            const at::Tensor* key_tiles) {
    const at::AutoDispatchBelowADInplaceOrView no_graph_inside;
    const at::Tensor &q = matrices.front(), &kv = matrices.back();
    const Call& by = **call;
    const at::Tensor out =  // [query tokens, heads · head_dim]
        at::empty({q.size(0), by.columns.width()}, q.options());
    const at::Tensor log_sums =  // [heads, query tokens]
        at::empty({by.columns.heads, q.size(0)}, q.options().dtype(at::kFloat));
    Arguments arguments;
    arguments.add(by.queries(q)).add(by.keys(kv)).add(by.values(kv)).add(*query_tiles);
    arguments.add(out).add(log_sums);
    by.run("attention", *query_tiles, arguments);
    ctx->save_for_backward({q, kv, out, log_sums, *query_tiles, *key_tiles});
    ctx->saved_data["one matrix"] = matrices.size() == 1;
    ctx->saved_data["call"] = c10::IValue::make_capsule(*call);
    return out;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    const at::Tensor &q = saved[0], &kv = saved[1], &log_sums = saved[3];
    const auto capsule = ctx->saved_data["call"].toCapsule();
    const Call& by = static_cast<const Call&>(*capsule);
    const bool is_one = ctx->saved_data["one matrix"].toBool();
    const int64_t width = by.columns.width();
    const at::Tensor dout = are_aligned({outputs[0]})
                                ? outputs[0].contiguous()
                                : outputs[0].clone(at::MemoryFormat::Contiguous);
    const at::Tensor dq = new_gradient(q, (is_one ? 3 : 1) * width);
    const at::Tensor dkv = is_one ? dq : new_gradient(kv, 2 * width);
    const at::Tensor deltas = at::empty(log_sums.sizes(), log_sums.options());
    Arguments of_queries, of_keys;
    of_queries.add(dout).add(by.queries(q)).add(by.keys(kv)).add(by.values(kv));
    of_queries.add(saved[2]).add(saved[4]).add(log_sums).add(deltas).add(by.queries(dq));
    by.run("attention_backward_queries", saved[4], of_queries);
    of_keys.add(dout).add(by.queries(q)).add(by.keys(kv)).add(by.values(kv));
    of_keys.add(saved[5]).add(log_sums).add(deltas).add(by.keys(dkv)).add(by.values(dkv));
    by.run("attention_backward_keys", saved[5], of_keys);
    if (is_one)
      return {dq, {}, {}, {}};
    return {dq, dkv, {}, {}, {}};
  }
};

bool are_short(const SentenceRows& rows) {
  return longest(rows.queries) <= kLongestSentence && longest(rows.keys) <= kLongestSentence;
}

bool has_type(const at::Tensor& q, const at::Tensor& kv) {
  const bool is_narrow = q.scalar_type() == at::kBFloat16 || q.scalar_type() == at::kHalf;
  return is_narrow && kv.scalar_type() == q.scalar_type() && has_kernels(q) &&
         compute_capability(q.device()) >= 8;
}

}  // namespace

bool packed_attention_applies(const at::Tensor& q,
                              const at::Tensor& kv,
                              const SentenceRows& rows,
                              const AttentionLayout& layout,
                              bool causal) {
  constexpr int64_t kMostBlocks = 65535;
  return has_type(q, kv) && is_plain(layout) && layout.heads <= kMostBlocks &&
         layout.head_dim % kTile == 0 && layout.head_dim <= cuda::kMostHeadColumns &&
         q.size(1) % 4 == 0 && kv.size(1) % 4 == 0 && are_aligned({q, kv}) &&
         shortest(rows.keys) > 0 && are_short(rows) && (!causal || rows.queries == rows.keys);
}

at::Tensor packed_attention(const at::Tensor& q,
                            const at::Tensor& kv,
                            const SentenceRows& rows,
                            const AttentionLayout& layout,
                            bool causal,
                            double p,
                            uint64_t key) {
  const auto call = c10::make_intrusive<Call>(q, kv, layout, causal, mask_of(p, key));
  const at::Tensor query_tiles = attention_tiles(rows.queries, rows.keys, q.device());
  const at::Tensor key_tiles = at::GradMode::is_enabled()
                                   ? attention_tiles(rows.keys, rows.queries, q.device())
                                   : at::Tensor();
  tensor_list matrices = {q.contiguous()};
  if (!q.is_same(kv))
    matrices.push_back(kv.contiguous());
  return PackedAttention::apply(at::TensorList(matrices), &call, &query_tiles, &key_tiles);
}

}  // namespace phraseq::nn::gpu

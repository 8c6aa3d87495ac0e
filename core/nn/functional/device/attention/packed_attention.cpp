#include "core/nn/functional/device/attention/packed_attention.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/nn/functional/device/attention/attention_tiles.h"
#include "core/nn/functional/device/attention/plain_attention.h"
#include "core/nn/functional/device/gpu_kernels.h"
#include "core/nn/kernels/sentence_lengths.h"
#include "core/nn/precision/compute_capability.h"

namespace phraseq::nn::gpu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr int64_t kTile = 16;
/// For longer sentences, FlashAttention's larger tiles are faster.
constexpr int64_t kLongestSentence = 256;

/// The struct AttentionShape of attention.cu.
struct AttentionShape {
  long long tiles = 0;
  long long query_stride = 0, key_stride = 0, out_stride = 0;
  int query_tokens = 0, heads = 0, causal = 0;
  float scale = 1.0F;
  Mask mask;
};

/// The numbers of a call, stored for the backward pass.
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
    shape.mask = mask;
  }

  at::Tensor queries(const at::Tensor& q) const { return columns.of(q, columns.query); }
  at::Tensor keys(const at::Tensor& kv) const { return columns.of(kv, columns.key); }
  at::Tensor values(const at::Tensor& kv) const { return columns.of(kv, columns.value); }

  /// Launches one warp per tile and head.
  void run(const char* function, const at::Tensor& tiles, Arguments& arguments) const {
    constexpr int64_t kWarpsOfABlock = 4;
    run(function,
        tiles,
        {.blocks = blocks_for(tiles.size(0), kWarpsOfABlock), .threads = 32 * kWarpsOfABlock},
        arguments);
  }
  /// Launches a block of one warp per sentence and head.
  void run_sentences(const char* function,
                     const at::Tensor& sentences,
                     int64_t shared_bytes,
                     Arguments& arguments) const {
    run(function,
        sentences,
        {.blocks = static_cast<uint32_t>(sentences.size(0)),
         .threads = 32,
         .shared_bytes = static_cast<uint32_t>(shared_bytes)},
        arguments);
  }

 private:
  void run(const char* function,
           const at::Tensor& tiles,
           cuda::LaunchShape grid,
           Arguments& arguments) const {
    AttentionShape own = shape;
    own.tiles = tiles.size(0);
    arguments.add_value(own);
    grid.blocks_y = static_cast<uint32_t>(columns.heads);
    if (own.tiles > 0)
      launch(tiles, cuda::attention_kernel(element, columns.head_dim), function, grid, arguments);
  }
};

/// The shared memory for the rows of both sides of a sentence, in bytes (attention.cu).
struct SharedBytes {
  int64_t forward, backward;

  SharedBytes(const SentenceRows& rows, int64_t head_dim) {
    constexpr int64_t kUnusedColumns = 8, kElement = 2, kSum = sizeof(float);
    const int64_t row = (head_dim + kUnusedColumns) * kElement;
    const int64_t queries = whole_tiles(longest(rows.queries)),
                  keys = whole_tiles(longest(rows.keys));
    forward = (queries + 2 * keys) * row;
    backward = (kTile + 2 * queries + 2 * keys) * row + queries * kSum;
  }
  /// With more shared memory per sentence, too few sentences would be computed at a time.
  bool is_small() const { return backward <= kMost; }

 private:
  static constexpr int64_t kMost = 40 * 1024;
  static int64_t whole_tiles(int64_t rows) { return (rows + kTile - 1) / kTile * kTile; }
};

/// The units of work of the warps: whole sentences if their rows fit in shared memory, otherwise
/// tiles.
struct Shares {
  SharedBytes shared;
  at::Tensor sentences;  ///< undefined: tiles
  at::Tensor query_tiles, key_tiles;

  Shares(const SentenceRows& rows, int64_t head_dim, at::Device device) : shared(rows, head_dim) {
    if (shared.is_small()) {
      sentences = attention_sentences(rows, device);
      return;
    }
    query_tiles = attention_tiles(rows.queries, rows.keys, device);
    if (at::GradMode::is_enabled())
      key_tiles = attention_tiles(rows.keys, rows.queries, device);
  }
};

/// Allocates a gradient like x, of which `columns` columns will be written.
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
                            const Shares* shares) {
    const at::AutoDispatchBelowADInplaceOrView no_graph_inside;
    const at::Tensor &q = matrices.front(), &kv = matrices.back();
    const Call& by = **call;
    const at::Tensor out =  // [query tokens, heads · head_dim]
        at::empty({q.size(0), by.columns.width()}, q.options());
    const at::Tensor log_sums =  // [heads, query tokens]
        at::empty({by.columns.heads, q.size(0)}, q.options().dtype(at::kFloat));
    Arguments arguments;
    arguments.add(by.queries(q)).add(by.keys(kv)).add(by.values(kv));
    const at::Tensor& sentences = shares->sentences;
    arguments.add(sentences.defined() ? sentences : shares->query_tiles).add(out).add(log_sums);
    if (sentences.defined())
      by.run_sentences("attention_of_sentences", sentences, shares->shared.forward, arguments);
    else
      by.run("attention", shares->query_tiles, arguments);
    ctx->save_for_backward(
        {q, kv, out, log_sums, shares->query_tiles, shares->key_tiles, sentences});
    ctx->saved_data["one matrix"] = matrices.size() == 1;
    ctx->saved_data["shared bytes"] = shares->shared.backward;
    ctx->saved_data["call"] = c10::IValue::make_capsule(*call);
    return out;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    const at::Tensor &q = saved[0], &kv = saved[1];
    const auto capsule = ctx->saved_data["call"].toCapsule();
    const Call& by = static_cast<const Call&>(*capsule);
    const bool is_one = ctx->saved_data["one matrix"].toBool();
    const int64_t width = by.columns.width();
    const at::Tensor dout = aligned(outputs[0]);
    const at::Tensor dq = new_gradient(q, (is_one ? 3 : 1) * width);
    const at::Tensor dkv = is_one ? dq : new_gradient(kv, 2 * width);
    if (saved[6].defined())
      run_on_sentences(by, saved, {dout, dq, dkv}, ctx->saved_data["shared bytes"].toInt());
    else
      run_on_tiles(by, saved, {dout, dq, dkv});
    return is_one ? tensor_list{dq, {}, {}} : tensor_list{dq, dkv, {}, {}};
  }

 private:
  struct Gradients {
    const at::Tensor &dout, &dq, &dkv;
  };

  static void run_on_sentences(const Call& by,
                               const tensor_list& saved,
                               const Gradients& to,
                               int64_t shared_bytes) {
    const at::Tensor &q = saved[0], &kv = saved[1], &out = saved[2], &sentences = saved[6];
    Arguments arguments;
    arguments.add(to.dout).add(by.queries(q)).add(by.keys(kv)).add(by.values(kv)).add(out);
    arguments.add(sentences).add(saved[3]).add(by.queries(to.dq));
    arguments.add(by.keys(to.dkv)).add(by.values(to.dkv));
    by.run_sentences("attention_backward_of_sentences", sentences, shared_bytes, arguments);
  }

  static void run_on_tiles(const Call& by, const tensor_list& saved, const Gradients& to) {
    const at::Tensor &q = saved[0], &kv = saved[1], &out = saved[2], &log_sums = saved[3];
    const at::Tensor &query_tiles = saved[4], &key_tiles = saved[5];
    const at::Tensor deltas = at::empty(log_sums.sizes(), log_sums.options());
    Arguments of_queries, of_keys;
    of_queries.add(to.dout).add(by.queries(q)).add(by.keys(kv)).add(by.values(kv)).add(out);
    of_queries.add(query_tiles).add(log_sums).add(deltas).add(by.queries(to.dq));
    by.run("attention_backward_queries", query_tiles, of_queries);
    of_keys.add(to.dout).add(by.queries(q)).add(by.keys(kv)).add(by.values(kv)).add(key_tiles);
    of_keys.add(log_sums).add(deltas).add(by.keys(to.dkv)).add(by.values(to.dkv));
    by.run("attention_backward_keys", key_tiles, of_keys);
  }
};

bool are_short(const SentenceRows& rows) {
  return longest(rows.queries) <= kLongestSentence && longest(rows.keys) <= kLongestSentence;
}

}  // namespace

bool have_tensor_cores(const at::Tensor& q, const at::Tensor& kv) {
  const bool is_narrow = q.scalar_type() == at::kBFloat16 || q.scalar_type() == at::kHalf;
  return is_narrow && kv.scalar_type() == q.scalar_type() && has_kernels(q) &&
         compute_capability(q.device()) >= 8;
}

bool is_head_dim_of_tiles(int64_t head_dim) {
  return head_dim % kTile == 0 && head_dim <= cuda::kMaxHeadColumns;
}

bool packed_attention_applies(const at::Tensor& q,
                              const at::Tensor& kv,
                              const SentenceRows& rows,
                              const AttentionLayout& layout,
                              bool causal) {
  constexpr int64_t kMaxBlocks = 65535;
  return have_tensor_cores(q, kv) && is_plain(layout) && layout.heads <= kMaxBlocks &&
         is_head_dim_of_tiles(layout.head_dim) && q.size(1) % 8 == 0 && kv.size(1) % 8 == 0 &&
         are_aligned({q, kv}) && shortest(rows.keys) > 0 && are_short(rows) &&
         (!causal || rows.queries == rows.keys);
}

at::Tensor packed_attention(const at::Tensor& q,
                            const at::Tensor& kv,
                            const SentenceRows& rows,
                            const AttentionLayout& layout,
                            bool causal,
                            double p,
                            uint64_t key) {
  const auto call = c10::make_intrusive<Call>(q, kv, layout, causal, mask_of(p, key));
  const Shares shares(rows, layout.head_dim, q.device());
  const tensor_list matrices = variables_of_attention(q, kv);
  return PackedAttention::apply(at::TensorList(matrices), &call, &shares);
}

}  // namespace phraseq::nn::gpu

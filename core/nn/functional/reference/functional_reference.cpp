#include "core/nn/functional/reference/functional_reference.h"

#include <algorithm>
#include <limits>

#include <ATen/ATen.h>

#include "core/data/device/to_device.h"
#include "core/nn/functional/device/gpu_kernels.h"
#include "core/nn/functional/normalization.h"
#include "core/nn/kernels/random_bits.h"
#include "core/nn/padded_layout.h"

namespace phraseq::nn::reference {
namespace {

/// x >> bits of the unsigned number with the bits of x (int32).
at::Tensor shifted_right(const at::Tensor& x, int bits) {
  return at::__rshift__(x, bits).bitwise_and_(static_cast<int32_t>(0xffffffffU >> bits));
}

/// kernels::random_bits on int32 tensors, whose products wrap around: ATen has no unsigned
/// multiplication on every device.
at::Tensor random_bits(const at::Tensor& indices, uint64_t key) {
  const auto low = static_cast<int32_t>(key), high = static_cast<int32_t>(key >> 32);
  at::Tensor x = at::bitwise_xor(indices, low);
  x.bitwise_xor_(shifted_right(x, 16)).mul_(static_cast<int32_t>(0x7feb352dU));
  x.bitwise_xor_(shifted_right(x, 15)).bitwise_xor_(high).mul_(static_cast<int32_t>(0x846ca68bU));
  return x.bitwise_xor_(shifted_right(x, 16));
}

/// The numbers 0 … of the elements of x, int32: those 2^32 apart are the same.
at::Tensor element_numbers(const at::Tensor& x) {
  const bool fits = x.numel() <= std::numeric_limits<int32_t>::max();
  return at::arange(x.numel(), x.options().dtype(fits ? at::kInt : at::kLong))
      .view(x.sizes())  // the shape of x
      .to(at::kInt);
}

at::Tensor activate(const at::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return at::relu(x);
    case Activation::kGelu:
      return at::gelu(x);
    case Activation::kSwish:
      return at::silu(x);
    case Activation::kSigmoid:
      return at::sigmoid(x);
  }
  return x;
}

/// Sums, norms and softmax are fp32 at least.
at::ScalarType sum_type(const at::Tensor& x) {
  return x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

/// Which keys each query sees, [batch, 1, tgt_time, src_time].
at::Tensor visible_keys(const PaddedLayout& queries, const PaddedLayout& keys, bool causal) {
  at::Tensor visible = keys.mask.view({keys.batch, 1, 1, keys.time});  // [batch, 1, 1, src_time]
  if (causal)
    visible =  // [batch, 1, tgt_time, src_time]
        at::logical_and(visible, at::ones({queries.time, keys.time}, visible.options()).tril());
  return visible.expand(
      {keys.batch, 1, queries.time, keys.time});  // [batch, 1, tgt_time, src_time]
}

}  // namespace

at::Tensor dropout_factors(const at::Tensor& indices, uint64_t key, double p, at::ScalarType type) {
  constexpr uint32_t kSign =
      0x80000000U;  // turns the order of signed into that of unsigned numbers
  const auto threshold = static_cast<int32_t>(kernels::dropout_threshold(p) ^ kSign);
  return random_bits(indices.to(at::kInt), key)
      .bitwise_xor_(static_cast<int32_t>(kSign))
      .ge(threshold)
      .to(type)
      .mul(1.0 / (1.0 - p));
}

at::Tensor dropout(const at::Tensor& x, double p, uint64_t key) {
  if (p == 0.0 || key == 0)
    return x;
  if (gpu::has_kernels(x))
    return dropout_add_with_key(x, {}, p, key);
  return (x * dropout_factors(element_numbers(x), key, p, sum_type(x))).to(x.scalar_type());
}

at::Tensor epilogue(const at::Tensor& x, Activation activation, double p, uint64_t key) {
  return dropout(activate(x, activation), p, key);
}

at::Tensor linear(const at::Tensor& x,
                  const at::Tensor& weight,
                  const at::Tensor& bias,
                  Activation activation,
                  double p,
                  uint64_t key) {
  const at::ScalarType type = x.scalar_type();
  const at::Tensor cast_bias = bias.defined() ? bias.to(type) : bias;
  return epilogue(at::linear(x, weight.to(type), cast_bias), activation, p, key);
}

at::Tensor layer_norm(const at::Tensor& x,
                      const at::Tensor& gain,
                      const at::Tensor& bias,
                      double eps) {
  const at::Tensor wide = x.to(sum_type(x));
  return at::layer_norm(wide, {x.size(-1)}, gain, bias, eps).to(x.scalar_type());
}

at::Tensor attention(const AttentionRows& rows,
                     const AttentionOptions& options,
                     uint64_t key,
                     at::Tensor* weights) {
  const PaddedLayout queries(*rows.query_offsets, rows.q.device());
  const PaddedLayout keys(*rows.key_offsets, rows.q.device());
  const at::ScalarType wide = sum_type(rows.q);
  const at::Tensor q =
      queries.split_heads(rows.q, options.heads).to(wide);  // [batch, heads, tgt_time, head_dim]
  const at::Tensor k =
      keys.split_heads(rows.k, options.heads).to(wide);  // [batch, heads, src_time, head_dim]
  const at::Tensor v =
      keys.split_heads(rows.v, options.heads).to(wide);  // [batch, heads, src_time, head_dim]
  const at::Tensor visible = visible_keys(queries, keys, options.causal);
  const at::Tensor scores =
      at::matmul(q, k.transpose(2, 3)) * options.scale;  // [batch, heads, tgt_time, src_time]
  at::Tensor shares =
      keys.time == 0
          ? scores
          : at::softmax(scores.masked_fill(visible.logical_not(), kMaskedScore), -1)
                .masked_fill(visible.logical_not(), 0.0);  // [batch, heads, tgt_time, src_time]
  if (weights) {
    *weights = shares.detach()
                   .mean(1)                                          // [batch, tgt_time, src_time]
                   .view({queries.batch * queries.time, keys.time})  // [batch · tgt_time, src_time]
                   .index_select(0, queries.place);                  // [query tokens, src_time]
  }
  if (options.dropout > 0.0 && key != 0) {
    const at::Tensor elements =  // [batch, heads, tgt_time, src_time]
        attention_elements(queries,
                           options.heads,
                           0,
                           options.heads,
                           at::arange(keys.time, queries.place.options()));
    shares = shares * dropout_factors(elements, key, options.dropout, wide);
  }
  return queries.join_heads(at::matmul(shares, v)).to(rows.q.scalar_type());  // [tokens, model]
}

at::Tensor embed(const at::Tensor& ids,
                 const at::Tensor& positions,
                 const at::Tensor& table,
                 const at::Tensor& position_table,
                 double scale,
                 double p,
                 uint64_t key,
                 int64_t padding_id,
                 at::ScalarType type) {
  at::Tensor rows = at::embedding(table, ids, padding_id) * scale;  // [tokens, model]
  if (position_table.defined())
    rows = rows + position_table.index_select(0, positions);  // [tokens, model]
  return dropout(rows, p, key).to(type);
}

namespace {

/// A row's numbers of the smoothing rule, [rows] each.
struct RowTargets {
  at::Tensor uniform, extra, constant;

  RowTargets(const SmoothingRule& rule,
             const at::Tensor& targets,
             const at::Tensor& unsmoothed,
             at::ScalarType type) {
    const at::Tensor plain = at::isin(targets, unsmoothed);  // [rows]
    const SmoothedTarget &in = rule.target(true), &out = rule.target(false);
    const auto options = plain.options().dtype(type);
    const auto pick = [&](double smoothed, double otherwise) {
      return at::where(plain, at::full({}, otherwise, options), at::full({}, smoothed, options));
    };
    uniform = pick(in.uniform, out.uniform);
    extra = pick(in.extra, out.extra);
    constant = pick(in.constant, out.constant);
  }
};

}  // namespace

LossIds::LossIds(const SmoothingRule& rule, at::Device device)
    : unsmoothed(to_device(rule.unsmoothed(), device)),
      excluded(to_device(rule.excluded(), device)) {}

LossRows loss_rows(at::Tensor& logits,
                   const at::Tensor& bias,
                   const at::Tensor& targets,
                   const SmoothingRule& rule,
                   const LossIds& ids,
                   bool with_gradient,
                   double scale) {
  const at::Tensor &unsmoothed = ids.unsmoothed, &excluded = ids.excluded;
  at::Tensor z = logits.to(sum_type(logits));  // [rows, vocab]
  if (bias.defined())
    z = z + bias;
  z = z.index_fill(1, excluded, -std::numeric_limits<double>::infinity());
  const RowTargets row(rule, targets, unsmoothed, z.scalar_type());
  const at::Tensor gold = targets.unsqueeze(1);                             // [rows, 1]
  const at::Tensor lse = at::logsumexp(z, 1);                               // [rows]
  const at::Tensor gold_logit = z.gather(1, gold).squeeze(1);               // [rows]
  const at::Tensor smoothed_sum = z.index_fill(1, unsmoothed, 0.0).sum(1);  // [rows]
  const at::Tensor loss = lse - row.uniform * smoothed_sum - row.extra * gold_logit + row.constant;
  const at::Tensor log_p = gold_logit - lse;
  if (with_gradient) {
    const at::Tensor q =
        row.uniform.unsqueeze(1).expand_as(z).index_fill(1, unsmoothed, 0.0);  // [rows, vocab]
    const at::Tensor dz = (z - lse.unsqueeze(1)).exp_().sub_(q);               // [rows, vocab]
    at::Tensor all = dz.scatter_add_(1, gold, -row.extra.unsqueeze(1));        // [rows, vocab]
    logits.copy_(scale == 1.0 ? all : all.mul_(scale));                        // [rows, vocab]
  }
  return {at::stack({loss.sum(at::kDouble),
                     -log_p.sum(at::kDouble),
                     gold_logit.eq(z.amax(1)).sum().to(at::kDouble)}),
          log_p};
}

}  // namespace phraseq::nn::reference

#include "core/nn/functional/reference/functional_reference.h"

#include <limits>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bitwise_xor.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/isin.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rshift.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>

#include "core/data/device/to_device.h"
#include "core/nn/functional/device/gpu_kernels.h"
#include "core/nn/functional/normalization.h"
#include "core/nn/functional/sum_type.h"
#include "core/nn/kernels/random_bits.h"

namespace phraseq::nn::reference {
namespace {

/// Shifts the bits of x (int32) to the right, as for an unsigned number.
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

/// The numbers of the elements of x from 0, as int32: elements 2^32 apart have the same number.
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

}  // namespace

at::Tensor dropout_factors(const at::Tensor& indices, uint64_t key, double p, at::ScalarType type) {
  // After an XOR with this bit, signed comparisons order numbers as unsigned ones.
  constexpr uint32_t kSign = 0x80000000U;
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

at::Tensor layer_norm(const at::Tensor& x,
                      const at::Tensor& gain,
                      const at::Tensor& bias,
                      double eps) {
  const at::Tensor wide = x.to(sum_type(x));
  return at::layer_norm(wide, {x.size(-1)}, gain, bias, eps).to(x.scalar_type());
}

at::Tensor embed(const at::Tensor& ids,
                 const at::Tensor& positions,
                 const at::Tensor& table,
                 const at::Tensor& position_table,
                 const EmbeddingOptions& options,
                 uint64_t key,
                 at::ScalarType type) {
  at::Tensor rows =
      at::embedding(table, ids, options.padding_id) * options.scale;  // [tokens, model]
  if (position_table.defined())
    rows = rows + position_table.index_select(0, positions);  // [tokens, model]
  return dropout(rows, options.dropout, key).to(type);
}

namespace {

/// The numbers of the smoothing rule for each row, [rows] each.
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

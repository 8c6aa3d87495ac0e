#include "core/nn/functional/device/loss_kernel.h"

#include <ATen/ops/empty.h>

#include "core/nn/functional/device/gpu_kernels.h"

namespace phraseq::nn::gpu {
namespace {

/// The struct LossTarget of loss.cu.
struct LossTarget {
  float uniform, extra, constant;

  explicit LossTarget(const SmoothedTarget& target)
      : uniform(static_cast<float>(target.uniform)),
        extra(static_cast<float>(target.extra)),
        constant(static_cast<float>(target.constant)) {}
};

/// The struct LossShape of loss.cu.
struct LossShape {
  long long rows;
  int columns, unsmoothed_count, excluded_count, with_gradient;
  float scale;
  LossTarget smoothed, plain;

  LossShape(const at::Tensor& logits, const SmoothingRule& rule, bool writes_gradient, double by)
      : rows(logits.size(0)),
        columns(static_cast<int>(logits.size(1))),
        unsmoothed_count(static_cast<int>(rule.unsmoothed().size())),
        excluded_count(static_cast<int>(rule.excluded().size())),
        with_gradient(writes_gradient ? 1 : 0),
        scale(static_cast<float>(by)),
        smoothed(rule.target(true)),
        plain(rule.target(false)) {}
};

}  // namespace

reference::LossRows loss_rows(at::Tensor& logits,
                              const at::Tensor& bias,
                              const at::Tensor& targets,
                              const SmoothingRule& rule,
                              const reference::LossIds& ids,
                              bool with_gradient,
                              double scale) {
  constexpr int64_t kWarpsOfABlock = 4;
  LossShape shape(logits, rule, with_gradient, scale);
  const at::Tensor wide_bias =  // [vocab]
      bias.defined() ? bias.to(at::kFloat).contiguous() : at::Tensor();
  const at::Tensor gold = targets.contiguous();  // [rows]
  const at::Tensor results =                     // [3, rows]
      at::empty({3, shape.rows}, logits.options().dtype(at::kFloat));
  Arguments arguments;
  arguments.add(logits).add(wide_bias).add(gold).add(ids.unsmoothed).add(ids.excluded);
  arguments.add(results).add_value(shape);
  if (shape.rows > 0) {
    launch(logits,
           cuda::loss_kernel(element_of(logits.scalar_type())),
           "cross_entropy",
           {.blocks = blocks_for(shape.rows, kWarpsOfABlock), .threads = 32 * kWarpsOfABlock},
           arguments);
  }
  return {results.sum(1, false, at::kDouble), results[1].neg()};  // [3], [rows]
}

}  // namespace phraseq::nn::gpu

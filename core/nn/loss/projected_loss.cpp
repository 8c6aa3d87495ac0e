#include "core/nn/loss/projected_loss.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/base/error.h"
#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/functional/device/column_sums.h"
#include "core/nn/functional/device/gpu_kernels.h"
#include "core/nn/functional/device/loss_kernel.h"
#include "core/nn/functional/matrix_product.h"
#include "core/nn/functional/reference/functional_reference.h"
#include "core/nn/functional/sum_type.h"
#include "core/nn/loss/projection_chunks.h"
#include "core/nn/loss/smoothing.h"
#include "core/nn/optional_tensor.h"
#include "core/nn/parameters/parameter_gradient.h"

namespace phraseq::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// The classes of a smoothing rule in the form that the kernels take.
kernels::LossClasses classes_of(const SmoothingRule& rule, int64_t vocabulary) {
  const auto& excluded = rule.excluded();
  const auto& unsmoothed = rule.unsmoothed();
  return {vocabulary,
          excluded.data(),
          static_cast<int64_t>(excluded.size()),
          unsmoothed.data(),
          static_cast<int64_t>(unsmoothed.size())};
}

/// A pass over the logits of a chunk of rows: the losses and, in their place, the gradient.
class ChunkLoss {
 public:
  ChunkLoss(const SmoothingRule& rule,
            const at::Tensor& bias,
            const at::Tensor& targets,
            bool with_gradient,
            double scale = 1.0)
      : rule_(rule), bias_(bias), targets_(targets), with_gradient_(with_gradient), scale_(scale) {}

  /// logits [rows, vocab] of the rows from `first_row` on. `log_p`, if defined, receives ln p(gold)
  /// [rows].
  void run(const at::Tensor& logits, int64_t first_row, const at::Tensor& log_p) {
    if (cpu::has_kernels(logits)) {
      run_on_cpu(logits, first_row, log_p);
    } else {
      run_on_device(logits, first_row, log_p);
    }
  }

  const kernels::LossSums& sums() const { return sums_; }
  /// [3] loss, nll and correct, fp64, if the chunks were not computed by the CPU's kernels;
  /// otherwise undefined.
  const at::Tensor& sums_on_device() const { return device_sums_; }

 private:
  void run_on_cpu(const at::Tensor& logits, int64_t first_row, const at::Tensor& log_p) {
    const int64_t rows = logits.size(0), vocabulary = logits.size(1);
    // Blocks of 8 rows are summed and added in order, so that the result does not depend on the
    // number of threads.
    const int64_t blocks = (rows + kSumRows - 1) / kSumRows;
    std::vector<kernels::LossSums> sums(static_cast<size_t>(blocks));
    const auto* gold = targets_.const_data_ptr<int64_t>() + first_row;
    const kernels::LossClasses classes = classes_of(rule_, vocabulary);
    cpu::for_type(logits.scalar_type(), [&]<typename T>(T*) {
      using S = kernels::Sum<T>;
      S* log_p_data = cpu::mutable_data<S>(log_p);
      at::parallel_for(0, blocks, 1, [&](int64_t first, int64_t last) {
        const cpu::ThreadScratch<S> scratch(vocabulary);
        for (int64_t row = first * kSumRows; row < std::min(last * kSumRows, rows); ++row) {
          const double value =
              cpu::loops<T>().loss_row(cpu::mutable_data<T>(logits) + row * vocabulary,
                                       cpu::data<S>(bias_),
                                       row_target(gold[row]),
                                       classes,
                                       with_gradient_,
                                       scratch.get(),
                                       &sums[row / kSumRows]);
          if (log_p_data)
            log_p_data[row] = static_cast<S>(value);
        }
      });
    });
    for (const auto& block : sums) add(block);
  }

  kernels::LossTarget row_target(int64_t gold) const {
    const auto& unsmoothed = rule_.unsmoothed();
    const bool smoothed = !std::binary_search(unsmoothed.begin(), unsmoothed.end(), gold);
    const SmoothedTarget& target = rule_.target(smoothed);
    return {gold, target.uniform, target.extra, target.constant};
  }

  void run_on_device(at::Tensor logits, int64_t first_row, const at::Tensor& log_p) {
    const at::Tensor gold = targets_.narrow(0, first_row, logits.size(0));  // [rows]
    if (!ids_.unsmoothed.defined())
      ids_ = reference::LossIds(rule_, logits.device());
    const auto loss_rows = gpu::has_kernels(logits) ? &gpu::loss_rows : &reference::loss_rows;
    const auto chunk = loss_rows(logits, bias_, gold, rule_, ids_, with_gradient_, scale_);
    if (log_p.defined())
      at::Tensor(log_p).copy_(chunk.log_p);
    device_sums_ = device_sums_.defined() ? device_sums_ + chunk.sums : chunk.sums;
  }

  void add(const kernels::LossSums& more) {
    sums_.loss += more.loss;
    sums_.nll += more.nll;
    sums_.correct += more.correct;
  }

  static constexpr int64_t kSumRows = 8;
  const SmoothingRule& rule_;
  at::Tensor bias_, targets_;
  bool with_gradient_;
  double scale_;  ///< of the gradient; other than 1 in fp16 only
  kernels::LossSums sums_;
  reference::LossIds ids_;
  at::Tensor device_sums_;
};

/// Gradients of hidden [all rows, model], weight [vocab, model] and bias [vocab]. They are computed
/// in the forward pass, which has the logits, and saved for the backward pass, which alone knows
/// their factor.
class Gradients {
 public:
  Gradients(const at::Tensor& hidden,
            const at::Tensor& weight,
            const std::optional<at::Tensor>& bias)
      : hidden_(at::empty_like(hidden)), weight_({}, weight.sizes(), weight.options()) {
    if (bias)
      bias_.emplace(at::Tensor(), bias->sizes(), bias->options());
  }

  /// dz [rows, vocab], h [rows, model] of the rows from `first` on, weights [vocab, model].
  void add_chunk(const at::Tensor& dz,
                 const at::Tensor& h,
                 const at::Tensor& weights,
                 int64_t first) {
    matrix_product_into(hidden_.narrow(0, first, h.size(0)), dz, weights);  // [rows, model]
    weight_.add_product(dz.t(), h);                                         // [vocab, model]
    if (bias_)
      bias_->add(column_sums(dz));  // [vocab]
  }

  tensor_list tensors() const {
    return {hidden_, weight_.for_autograd(), bias_ ? bias_->for_autograd() : at::Tensor()};
  }

 private:
  at::Tensor hidden_;
  ParameterGradient weight_;
  std::optional<ParameterGradient> bias_;
};

/// The arguments of a call besides its variables, and its result.
struct LossCall {
  at::Tensor compute_weight;  ///< [vocab, model] in the type of the hidden states
  at::Tensor weight_place;    ///< [vocab, model] where its gradient is added, or undefined
  at::Tensor targets;         ///< [rows]
  const SmoothingRule& rule;
  bool with_gradient;
  double scale;  ///< of the gradient
  ProjectedLoss result = {};
};

/// Variables: hidden, weight, bias (or none).
class ProjectedCrossEntropy : public torch::autograd::Function<ProjectedCrossEntropy> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& hidden,
                            const at::Tensor& weight,
                            const std::optional<at::Tensor>& bias,
                            LossCall* call) {
    std::optional<Gradients> gradients;
    if (call->with_gradient)
      gradients.emplace(hidden, weight, bias);
    ChunkLoss loss(
        call->rule, from_optional(bias), call->targets, call->with_gradient, call->scale);
    const at::Tensor& weights = call->compute_weight;
    over_chunks(hidden, weights, [&](const at::Tensor& h, int64_t first, const at::Tensor& logits) {
      loss.run(logits, first, {});
      if (gradients)
        gradients->add_chunk(logits, h, weights, first);
    });
    ctx->saved_data["scale"] = call->scale;
    ctx->saved_data["weight place"] = call->weight_place;
    ctx->save_for_backward(gradients ? gradients->tensors() : tensor_list(3));
    ProjectedLoss& result = call->result;
    result.loss_sum = loss.sums().loss;
    result.nll_sum = loss.sums().nll;
    result.correct = loss.sums().correct;
    result.on_device = loss.sums_on_device();
    const at::ScalarType type = sum_type(hidden);
    return result.on_device.defined() ? result.on_device[0].to(type)
                                      : at::full({}, result.loss_sum, hidden.options().dtype(type));
  }

  /// Adds a gradient directly to the flat gradients, if its place is known, instead of returning it
  /// to autograd: one pass over the matrix, which is the largest of many models, instead of two.
  static void add_to_place(at::Tensor place, at::Tensor& gradient, double factor) {
    if (!place.defined() || !gradient.defined())
      return;
    place.add_(gradient, factor);
    gradient = at::Tensor();
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    tensor_list gradients = ctx->get_saved_variables();  // of hidden, weight and bias
    const double scale = ctx->saved_data["scale"].toDouble();
    if (cpu::has_kernels(gradients[0])) {
      const double factor = outputs[0].item<double>() / scale;
      add_to_place(ctx->saved_data["weight place"].toTensor(), gradients[1], factor);
      for (at::Tensor& gradient : gradients)
        gradient = gradient.defined() && factor != 1.0 ? gradient.mul(factor) : gradient;
    } else {  // the host must not read the factor: it would wait for the device
      const at::Tensor factor = outputs[0] / scale;
      for (at::Tensor& gradient : gradients)
        gradient = gradient.defined() ? gradient.mul(factor.to(gradient.scalar_type())) : gradient;
    }
    gradients.emplace_back();  // for the call
    return gradients;
  }
};

void check_shapes(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& targets) {
  if (hidden.dim() == 2 && weight.dim() == 2 && hidden.size(1) == weight.size(1) &&
      targets.dim() == 1 && targets.size(0) == hidden.size(0)) {
    return;
  }
  throw UsageError(fmt::format("projection: hidden {}, weight {} and targets {} do not match",
                               fmt::join(hidden.sizes(), "x"),
                               fmt::join(weight.sizes(), "x"),
                               fmt::join(targets.sizes(), "x")),
                   "Expected hidden [rows, model], weight [vocab, model] and targets [rows].");
}

}  // namespace

ProjectedLoss projected_cross_entropy(const at::Tensor& hidden,
                                      const at::Tensor& weight,
                                      const at::Tensor& bias,
                                      const at::Tensor& targets,
                                      const LabelSmoothing& smoothing,
                                      Context& context) {
  check_shapes(hidden, weight, targets);
  const SmoothingRule rule(smoothing, weight.size(0));
  const bool with_gradient =
      at::GradMode::is_enabled() && (hidden.requires_grad() || weight.requires_grad());
  LossCall call{context.compute(weight),
                context.gradient(weight),
                targets,
                rule,
                with_gradient,
                scale_of_gradient(hidden, context)};
  call.result.loss =
      ProjectedCrossEntropy::apply(hidden.contiguous(), weight, to_optional(bias), &call);
  return std::move(call.result);
}

at::Tensor target_log_probabilities(const at::Tensor& hidden,
                                    const at::Tensor& weight,
                                    const at::Tensor& bias,
                                    const at::Tensor& targets,
                                    const std::vector<int64_t>& excluded,
                                    Context& context) {
  check_shapes(hidden, weight, targets);
  at::NoGradGuard no_grad;
  const SmoothingRule rule({.excluded = excluded}, weight.size(0));
  const at::Tensor result = at::empty({hidden.size(0)}, cpu::sum_options(hidden));
  ChunkLoss loss(rule, bias, targets, false);
  over_chunks(hidden.contiguous(),
              context.compute(weight),
              [&](const at::Tensor& h, int64_t first, const at::Tensor& logits) {
                loss.run(logits, first, result.narrow(0, first, h.size(0)));  // [rows]
              });
  return result;
}

}  // namespace phraseq::nn

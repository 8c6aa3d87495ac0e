#include "core/nn/functional/linear.h"

#include <algorithm>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_addmm_activation.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/base/error.h"
#include "core/base/work_profile.h"
#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/functional/device/column_sums.h"
#include "core/nn/functional/device/dropout_kernel.h"
#include "core/nn/functional/device/few_rows_product.h"
#include "core/nn/functional/device/gpu_kernels.h"
#include "core/nn/functional/linear/epilogue.h"
#include "core/nn/functional/linear/stacked_parameters.h"
#include "core/nn/functional/matrix_product.h"
#include "core/nn/functional/reference/functional_reference.h"
#include "core/nn/packed/packed_product.h"

namespace phraseq::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// max(x weightᵀ + bias, 0) with dropout, on a GPU with kernels.
at::Tensor relu_product(const at::Tensor& x,
                        const at::Tensor& weight,
                        const at::Tensor& bias,
                        const Epilogue& epilogue) {
  if (bias.defined() && epilogue.key == 0)
    return at::_addmm_activation(bias, x, weight.t());  // [rows, Σ out]
  const at::Tensor y = bias.defined() ? at::addmm(bias, x, weight.t()) : at::mm(x, weight.t());
  gpu::relu_dropout(y, y, epilogue.p, epilogue.key);
  return y;
}

/// The product plus biases by ATen's operators, for devices without kernels for products; with ReLU
/// and dropout if a GPU has kernels for these. Variables: x [rows, in], weights [out, in], biases
/// [out].
class StackedProduct : public torch::autograd::Function<StackedProduct> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& x,
                            at::TensorList weights,
                            at::TensorList biases,
                            const Context* context,
                            const Epilogue* relu) {
    const at::Tensor weight = stacked_weight(weights, *context);
    const at::Tensor y = compute(x, weight, narrow_stacked_bias(biases, *context), relu);
    save_places(ctx, weights, biases, *context);
    ctx->save_for_backward({x, weight, relu == nullptr ? at::Tensor() : y});
    ctx->saved_data["p"] = relu == nullptr || relu->key == 0 ? 0.0 : relu->p;
    return y;
  }

  /// `relu` may be null.
  static at::Tensor compute(const at::Tensor& x,
                            const at::Tensor& weight,
                            const at::Tensor& bias,
                            const Epilogue* relu) {
    const at::Tensor narrow = bias.defined() ? bias.to(x.scalar_type()) : bias;
    const bool drops = relu != nullptr && relu->key != 0;
    if (!drops && gpu::few_rows_product_applies(x, weight))
      return gpu::few_rows_product(x, weight, narrow, relu != nullptr);
    if (relu != nullptr)
      return relu_product(x, weight, narrow, *relu);
    return narrow.defined() ? at::addmm(narrow, x, weight.t())
                            : at::mm(x, weight.t());  // [rows, Σ out]
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &y = saved[2];
    SummedGradient dz{outputs[0], {}};
    if (y.defined()) {
      const double p = ctx->saved_data["p"].toDouble();
      dz = gpu::relu_dropout_backward(outputs[0].contiguous(), y, p);
    }
    StackedGradients gradients(ctx, x, weight);
    if (gradients.weight)
      gradients.weight->add_product(dz.gradient.t(), x);  // [Σ out, in]
    if (gradients.bias)
      gradients.bias->add(dz.sums.defined() ? dz.sums : column_sums(dz.gradient));  // [Σ out]
    const bool needed = ctx->needs_input_grad(0);
    const at::Tensor dx = needed ? at::mm(dz.gradient, weight) : at::Tensor();  // [rows, in]
    return gradients.for_autograd(dx, 2);
  }
};

/// One product for any number of stacked weights. Variables: x [rows, in], weights [out, in],
/// biases [out].
class StackedLinear : public torch::autograd::Function<StackedLinear> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& x,
                            at::TensorList weights,
                            at::TensorList biases,
                            const Context* context,
                            const Epilogue* epilogue) {
    const at::Tensor weight = stacked_weight(weights, *context), bias = stacked_bias(biases);
    at::Tensor y = matrix_product(x, weight.t());  // [rows, Σ out]
    at::Tensor kept;
    if (epilogue->keeps_input()) {
      kept = y;
      if (bias.defined())
        run_epilogue(y, bias, y, Activation::kNone, {});
      y = at::empty(y.sizes(), y.options());
      run_epilogue(kept, {}, y, epilogue->activation, epilogue->dropout());
    } else if (bias.defined() || !epilogue->is_identity()) {
      run_epilogue(y, bias, y, epilogue->activation, epilogue->dropout());
      if (epilogue->keeps_output())
        kept = y;
    }
    ctx->save_for_backward({x, weight, kept});
    ctx->saved_data["activation"] = static_cast<int64_t>(epilogue->activation);
    ctx->saved_data["p"] = epilogue->p;
    ctx->saved_data["key"] = static_cast<int64_t>(epilogue->key);
    save_places(ctx, weights, biases, *context);
    return y;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &kept = saved[2];
    const Epilogue epilogue{static_cast<Activation>(ctx->saved_data["activation"].toInt()),
                            ctx->saved_data["p"].toDouble(),
                            static_cast<uint64_t>(ctx->saved_data["key"].toInt())};
    StackedGradients gradients(ctx, x, weight);
    const at::Tensor dz = undo_epilogue(outputs[0].contiguous(),
                                        kept,
                                        epilogue,
                                        gradients.bias ? gradients.bias->sum() : at::Tensor());
    if (gradients.weight)
      gradients.weight->add_product(dz.t(), x);  // [Σ out, in]
    const bool needed = ctx->needs_input_grad(0);
    return gradients.for_autograd(needed ? matrix_product(dz, weight) : at::Tensor(), 2);
  }
};

/// An activation alone. Variable: x [rows, columns].
class Activated : public torch::autograd::Function<Activated> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const Epilogue* epilogue) {
    const at::Tensor y = cpu::new_tensor(x.sizes(), x.scalar_type());
    run_epilogue(x, {}, y, epilogue->activation, {});
    ctx->save_for_backward({epilogue->keeps_input() ? x : y});
    ctx->saved_data["activation"] = static_cast<int64_t>(epilogue->activation);
    return y;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    const Epilogue epilogue{static_cast<Activation>(ctx->saved_data["activation"].toInt()), 0.0, 0};
    return {undo_epilogue(outputs[0].contiguous(), saved[0], epilogue, {}), {}};
  }
};

void check_linear_shapes(const at::Tensor& x, at::TensorList weights, at::TensorList biases) {
  bool fits =
      x.dim() == 2 && !weights.empty() && (biases.empty() || biases.size() == weights.size());
  for (size_t i = 0; fits && i < weights.size(); ++i) {
    fits = weights[i].dim() == 2 && weights[i].size(1) == x.size(1) &&
           (biases.empty() || (biases[i].dim() == 1 && biases[i].size(0) == weights[i].size(0)));
  }
  if (fits)
    return;
  throw UsageError(
      fmt::format("linear map: rows of shape {} do not match the weight {}",
                  x.sizes(),
                  weights.empty() ? at::IntArrayRef() : weights[0].sizes()),
      "Expected x [rows, in], weights [out, in] and at most one bias [out] per weight.");
}

int64_t columns_of(at::TensorList weights) {
  int64_t columns = 0;
  for (const at::Tensor& weight : weights) columns += weight.size(0);
  return columns;
}

/// Concatenates fp32 vectors; at::cat would take longer than a small product.
at::Tensor joined(at::TensorList vectors) {
  const at::Tensor all = cpu::new_tensor({columns_of(vectors)}, at::kFloat);
  auto* place = all.mutable_data_ptr<float>();
  for (const at::Tensor& vector : vectors)
    place = std::copy_n(vector.contiguous().const_data_ptr<float>(), vector.numel(), place);
  return all;
}

/// Computes the map with the packed weights, without autograd; undefined if these weights are not
/// packed or there is dropout.
at::Tensor packed_linear(const at::Tensor& x,
                         at::TensorList weights,
                         at::TensorList biases,
                         const Context& context,
                         const Epilogue& epilogue) {
  const PackedMatrix* matrix =
      packed_matrix(x, weights, context, [&] { return side_by_side(weights); });
  if (matrix == nullptr || epilogue.key != 0)
    return {};
  at::Tensor bias;  // [Σ out], or its first part if the others are adjacent
  if (!biases.empty())
    bias = are_adjacent(biases) ? biases[0] : joined(biases);
  const bool is_relu = epilogue.activation == Activation::kRelu;
  const at::Tensor y =
      matrix->multiply(x.contiguous(), cpu::data<float>(bias), is_relu);  // [rows, Σ out]
  if (epilogue.activation != Activation::kNone && !is_relu)
    run_epilogue(y, {}, y, epilogue.activation, {});
  return y;
}

at::Tensor run_linear(const at::Tensor& x,
                      at::TensorList weights,
                      at::TensorList biases,
                      Context& context,
                      Activation activation,
                      double p) {
  check_linear_shapes(x, weights, biases);
  const Epilogue epilogue{activation, p, cpu::dropout_key(p, context)};
  const WorkSpan span(Work::kProduct, {x.size(0), columns_of(weights), x.size(1)});
  if (const at::Tensor y = packed_linear(x, weights, biases, context, epilogue); y.defined())
    return y;
  if (cpu::has_kernels(x))
    return StackedLinear::apply(x.contiguous(), weights, biases, &context, &epilogue);
  const bool has_relu = activation == Activation::kRelu && gpu::has_kernels(x);
  const Epilogue* const relu = has_relu ? &epilogue : nullptr;
  const at::Tensor y =
      at::GradMode::is_enabled()
          ? StackedProduct::apply(x, weights, biases, &context, relu)
          : StackedProduct::compute(
                x, stacked_weight(weights, context), narrow_stacked_bias(biases, context), relu);
  return has_relu ? y : reference::epilogue(y, activation, p, epilogue.key);
}

}  // namespace

at::Tensor linear(const at::Tensor& x,
                  const at::Tensor& weight,
                  const at::Tensor& bias,
                  Context& context,
                  Activation activation,
                  double dropout) {
  const at::TensorList biases = bias.defined() ? at::TensorList(bias) : at::TensorList();
  return run_linear(x, weight, biases, context, activation, dropout);
}

at::Tensor activated(const at::Tensor& x, Activation activation) {
  if (!cpu::has_kernels(x))
    return reference::epilogue(x, activation, 0.0, 0);
  const Epilogue epilogue{activation, 0.0, 0};
  return Activated::apply(x.contiguous(), &epilogue);
}

at::Tensor stacked_linear(const at::Tensor& x,
                          const std::vector<at::Tensor>& weights,
                          const std::vector<at::Tensor>& biases,
                          Context& context) {
  return run_linear(x, weights, biases, context, Activation::kNone, 0.0);
}

}  // namespace phraseq::nn

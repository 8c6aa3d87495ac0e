#include "core/nn/functional/normalization.h"

#include <optional>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/base/work_profile.h"
#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/functional/device/dropout_kernel.h"
#include "core/nn/functional/device/gpu_kernels.h"
#include "core/nn/functional/device/norm_kernel.h"
#include "core/nn/functional/reference/functional_reference.h"
#include "core/nn/optional_tensor.h"
#include "core/nn/parameters/parameter_gradient.h"

namespace phraseq::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

at::Tensor run_dropout_add(const at::Tensor& x,
                           const at::Tensor& residual,
                           double p,
                           uint64_t key) {
  if (!x.is_cpu())
    return gpu::dropout_add(x, residual, p, key);
  const at::Tensor y = cpu::new_tensor(x.sizes(), x.scalar_type());
  cpu::for_type(x.scalar_type(), [&]<typename T>(T*) {
    cpu::over_rows(x, [&](int64_t first, int64_t last) {
      cpu::loops<T>().dropout_add(cpu::data<T>(x),
                                  cpu::data<T>(residual),
                                  cpu::mutable_data<T>(y),
                                  {first, last, x.size(-1)},
                                  cpu::make_dropout(p, key));
    });
  });
  return y;
}

/// residual + dropout(x). Variables: x, residual (or none).
class DropoutAdd : public torch::autograd::Function<DropoutAdd> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& x,
                            const std::optional<at::Tensor>& residual,
                            double p,
                            uint64_t key) {
    ctx->saved_data["p"] = p;
    ctx->saved_data["key"] = static_cast<int64_t>(key);
    ctx->saved_data["adds"] = residual.has_value();
    return run_dropout_add(x, from_optional(residual), p, key);
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const at::Tensor dy = outputs[0].contiguous();
    const auto key = static_cast<uint64_t>(ctx->saved_data["key"].toInt());
    const at::Tensor dx =
        key == 0 ? dy : run_dropout_add(dy, {}, ctx->saved_data["p"].toDouble(), key);
    return {dx, ctx->saved_data["adds"].toBool() ? dy : at::Tensor(), {}, {}};
  }
};

/// LN(residual + dropout(x)). `moments` [2, rows], if defined, receives each row's mean and
/// reciprocal deviation.
at::Tensor run_dropout_add_norm(const at::Tensor& x,
                                const at::Tensor& residual,
                                const at::Tensor& gain,
                                const at::Tensor& bias,
                                double eps,
                                const kernels::Dropout& dropout,
                                const at::Tensor& moments = {}) {
  const int64_t rows = x.size(0), columns = x.size(1);
  const at::Tensor y = cpu::new_tensor(x.sizes(), x.scalar_type());
  cpu::for_type(x.scalar_type(), [&]<typename T>(T*) {
    using S = kernels::Sum<T>;
    cpu::over_rows(x, [&](int64_t first, int64_t last) {
      const cpu::ThreadScratch<S> scratch(columns + (moments.defined() ? 0 : 2 * rows));
      S* mean =
          moments.defined() ? cpu::mutable_data<S>(moments) : scratch.get() + columns;  // [2, rows]
      cpu::loops<T>().dropout_add_norm({.x = cpu::data<T>(x),
                                        .residual = cpu::data<T>(residual),
                                        .gain = cpu::data<S>(gain),
                                        .mean = mean,
                                        .rstd = mean + rows,
                                        .scratch = scratch.get(),
                                        .rows = {first, last, columns},
                                        .dropout = dropout},
                                       cpu::data<S>(bias),
                                       eps,
                                       cpu::mutable_data<T>(y));
    });
  });
  return y;
}

/// Writes the gradients of x and of the sum to dx and d_sum [rows, columns]; returns the gradients
/// of gain and bias, [2, columns].
at::Tensor run_norm_backward(const gpu::NormInputs& in,
                             const at::Tensor& dy,
                             const at::Tensor& dx,
                             const at::Tensor& d_sum) {
  const int64_t columns = in.x.size(1), rows = in.x.size(0);
  const kernels::Dropout dropout = cpu::make_dropout(in.p, in.key);
  const at::Tensor d_parameters = at::zeros({2, columns}, in.moments.options());
  cpu::for_type(in.x.scalar_type(), [&]<typename T>(T*) {
    using S = kernels::Sum<T>;
    S* mean = cpu::mutable_data<S>(in.moments);
    const auto of_rows = [&](int64_t first, int64_t last, S* partial) {
      const cpu::ThreadScratch<S> scratch(columns);
      cpu::loops<T>().dropout_add_norm_backward({.x = cpu::data<T>(in.x),
                                                 .residual = cpu::data<T>(in.residual),
                                                 .gain = cpu::data<S>(in.gain),
                                                 .mean = mean,
                                                 .rstd = mean + rows,
                                                 .scratch = scratch.get(),
                                                 .rows = {first, last, columns},
                                                 .dropout = dropout},
                                                cpu::data<T>(dy),
                                                {.dx = cpu::mutable_data<T>(dx),
                                                 .d_residual = cpu::mutable_data<T>(d_sum),
                                                 .d_gain = partial,
                                                 .d_bias = partial + columns});
    };
    cpu::sum_over_rows(rows, 2 * columns, cpu::mutable_data<S>(d_parameters), of_rows);
  });
  return d_parameters;
}

/// Memory for each row's mean and reciprocal deviation, [2, rows].
at::Tensor new_moments(const at::Tensor& x) {
  return at::empty({2, x.size(0)}, cpu::sum_options(x));
}

/// LN(residual + dropout(x)). Variables: x, residual (or none), gain, bias. Saves the inputs and
/// two numbers per row.
class DropoutAddNorm : public torch::autograd::Function<DropoutAddNorm> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& x,
                            const std::optional<at::Tensor>& residual,
                            const at::Tensor& gain,
                            const at::Tensor& bias,
                            double eps,
                            double p,
                            uint64_t key,
                            const Context* context) {
    const at::Tensor rest = from_optional(residual);
    const at::Tensor moments = new_moments(x);
    const at::Tensor y =
        x.is_cpu()
            ? run_dropout_add_norm(x, rest, gain, bias, eps, cpu::make_dropout(p, key), moments)
            : gpu::dropout_add_norm({x, rest, gain, moments, p, key}, bias, eps);
    ctx->save_for_backward({x, rest, gain, moments});
    ctx->saved_data["p"] = p;
    ctx->saved_data["key"] = static_cast<int64_t>(key);
    ctx->saved_data["gain gradient"] = context->gradient(gain);
    ctx->saved_data["bias gradient"] = context->gradient(bias);
    return y;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &residual = saved[1], &gain = saved[2], &moments = saved[3];
    const at::Tensor dy = outputs[0].contiguous();
    const auto key = static_cast<uint64_t>(ctx->saved_data["key"].toInt());
    const double p = ctx->saved_data["p"].toDouble();
    const at::Tensor d_sum = at::empty(x.sizes(), x.options());
    const at::Tensor dx = key == 0 ? d_sum : at::empty(x.sizes(), x.options());
    const gpu::NormInputs inputs{x, residual, gain, moments, p, key};
    const at::Tensor d_parameters =  // [2, columns]
        x.is_cpu() ? run_norm_backward(inputs, dy, dx, d_sum)
                   : gpu::dropout_add_norm_backward(inputs, dy, dx, d_sum);
    const auto collected = [&](const char* place, int64_t row) {
      ParameterGradient gradient(
          ctx->saved_data[place].toTensor(), gain.sizes(), d_parameters.options());
      gradient.add(d_parameters[row]);  // [columns]
      return gradient.for_autograd();
    };
    return {dx,
            residual.defined() ? d_sum : at::Tensor(),
            collected("gain gradient", 0),
            collected("bias gradient", 1),
            {},
            {},
            {},
            {}};
  }
};

}  // namespace

at::Tensor dropout_add_norm(const at::Tensor& x,
                            const at::Tensor& residual,
                            const at::Tensor& gain,
                            const at::Tensor& bias,
                            double eps,
                            double dropout,
                            Context& context) {
  const uint64_t key = cpu::dropout_key(dropout, context);
  const WorkSpan span(Work::kNorms);
  const bool is_on_gpu = gpu::has_norm_kernel(x, gain);
  if (is_on_gpu || cpu::has_kernels(x)) {
    const at::Tensor rest = residual.defined() ? residual.contiguous() : residual;
    if (!at::GradMode::is_enabled()) {
      const at::Tensor rows = x.contiguous();
      if (!is_on_gpu)
        return run_dropout_add_norm(rows, rest, gain, bias, eps, cpu::make_dropout(dropout, key));
      return gpu::dropout_add_norm({rows, rest, gain, new_moments(rows), dropout, key}, bias, eps);
    }
    return DropoutAddNorm::apply(
        x.contiguous(), to_optional(rest), gain, bias, eps, dropout, key, &context);
  }
  const at::Tensor dropped = reference::dropout(x, dropout, key);
  return reference::layer_norm(residual.defined() ? residual + dropped : dropped, gain, bias, eps);
}

at::Tensor layer_norm(const at::Tensor& x,
                      const at::Tensor& gain,
                      const at::Tensor& bias,
                      double eps,
                      Context& context) {
  return dropout_add_norm(x, {}, gain, bias, eps, 0.0, context);
}

at::Tensor dropout_add_with_key(const at::Tensor& x,
                                const at::Tensor& residual,
                                double p,
                                uint64_t key) {
  const at::Tensor rest = residual.defined() ? residual.contiguous() : residual;
  if (!at::GradMode::is_enabled())
    return run_dropout_add(x.contiguous(), rest, p, key);
  return DropoutAdd::apply(x.contiguous(), to_optional(rest), p, key);
}

at::Tensor dropout_add(const at::Tensor& x,
                       const at::Tensor& residual,
                       double dropout,
                       Context& context) {
  const uint64_t key = cpu::dropout_key(dropout, context);
  const WorkSpan span(Work::kNorms);
  if (cpu::has_kernels(x) || gpu::has_kernels(x))
    return dropout_add_with_key(x, residual, dropout, key);
  return residual + reference::dropout(x, dropout, key);
}

at::Tensor dropout(const at::Tensor& x, double p, Context& context) {
  const uint64_t key = cpu::dropout_key(p, context);
  if (key == 0)
    return x;
  if (cpu::has_kernels(x))
    return dropout_add_with_key(x, {}, p, key);
  return reference::dropout(x, p, key);
}

}  // namespace phraseq::nn

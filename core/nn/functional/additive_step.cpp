#include "core/nn/functional/additive_step.h"

#include <optional>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/optional_tensor.h"

namespace phraseq::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr double kMaskedEnergy = -1e30;

bool has_loops(const at::Tensor& x) {
  const bool is_wide = x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble;
  return is_wide && x.is_contiguous() && cpu::has_kernels(x);
}

/// Calls work(loops, S*) for the type of x.
template <typename Work>
void for_sums(const at::Tensor& x, const Work& work) {
  if (x.scalar_type() == at::kDouble)
    work(cpu::loops<double>(), static_cast<double*>(nullptr));
  else
    work(cpu::loops<float>(), static_cast<float*>(nullptr));
}

at::Tensor first_rows(const at::Tensor& x, int64_t rows) {
  return x.size(0) == rows ? x : x.narrow(0, 0, rows);  // [rows, …]
}

/// The least number of rows per thread.
int64_t grain(const at::Tensor& x) { return cpu::row_grain(x.size(1) * x.size(2)); }

/// The sum to which a function adds the gradient of a shared input, and the gradient that it
/// returns to autograd.
struct SharedSum {
  SharedSum(AutogradContext* ctx, const at::Tensor& x) {
    const c10::IValue& saved = ctx->saved_data["gradient"];
    is_shared = !saved.isNone();
    sum = is_shared ? SharedGradient::restored(saved)->sum(x) : at::zeros_like(x);
  }
  at::Tensor for_autograd() const { return is_shared ? at::Tensor() : sum; }

  bool is_shared;
  at::Tensor sum;
};

c10::IValue saved_gradient(const SharedInput& input) {
  return input.gradient ? SharedGradient::saved(input.gradient) : c10::IValue();
}

/// The tensors of an additive step; `features` and `weight` may be undefined.
struct AdditiveTensors {
  at::Tensor keys, query, features, weight, v, mask;

  int64_t rows() const { return query.size(0); }
  int64_t feature_count() const { return features.defined() ? features.size(2) : 0; }
  template <typename S>
  kernels::AdditiveStep<S> step() const {
    return {cpu::data<S>(keys),
            cpu::data<S>(query),
            cpu::data<S>(features),
            cpu::data<S>(weight),
            cpu::data<S>(v),
            mask.const_data_ptr<bool>(),
            keys.size(1),
            feature_count()};
  }
};

/// The energies, and the activations [rows, time, width] if they are to be stored.
at::Tensor run_energies(const AdditiveTensors& in, const at::Tensor& activations) {
  const int64_t rows = in.rows(), width = in.keys.size(2);
  const at::Tensor energies = cpu::new_tensor({rows, in.keys.size(1)}, in.keys.scalar_type());
  for_sums(in.keys, [&]<typename Loops, typename S>(const Loops& loops, S*) {
    at::parallel_for(0, rows, grain(in.keys), [&](int64_t first, int64_t last) {
      const cpu::ThreadScratch<S> scratch(width);
      loops.additive_energies(
          in.step<S>(),
          static_cast<S>(kMaskedEnergy),
          cpu::mutable_data<S>(energies),
          activations.defined() ? cpu::mutable_data<S>(activations) : scratch.get(),
          activations.defined() ? width : 0,
          {first, last, width});
    });
  });
  return energies;
}

/// The gradients of the inputs of the energies. `weight` [features + 1, width] ends with that of v.
struct EnergyGradients {
  EnergyGradients(const AdditiveTensors& in, const SharedSum& of_keys, bool with_features)
      : keys(of_keys.sum),
        query(at::zeros_like(in.query)),
        features(with_features ? at::zeros_like(in.features) : at::Tensor()),
        weight(at::zeros({in.feature_count() + 1, in.keys.size(2)}, in.keys.options())) {}

  at::Tensor keys, query, features, weight;
};

/// Computes the gradients from d_energies [rows, time] and activations [rows, time, width].
void run_energies_backward(const AdditiveTensors& in,
                           const at::Tensor& activations,
                           const at::Tensor& d_energies,
                           const EnergyGradients& d) {
  const int64_t width = in.keys.size(2);
  for_sums(in.keys, [&]<typename Loops, typename S>(const Loops& loops, S*) {
    const auto add_rows = [&](int64_t first, int64_t last, S* partial) {
      const cpu::ThreadScratch<S> scratch(width);
      loops.additive_energies_backward(in.step<S>(),
                                       {cpu::data<S>(d_energies),
                                        cpu::data<S>(activations),
                                        cpu::mutable_data<S>(d.keys),
                                        cpu::mutable_data<S>(d.query),
                                        cpu::mutable_data<S>(d.features),
                                        partial,
                                        d.features.defined() ? in.feature_count() : 0},
                                       scratch.get(),
                                       {first, last, width});
    };
    cpu::sum_over_rows(in.rows(), d.weight.numel(), cpu::mutable_data<S>(d.weight), add_rows);
  });
}

class AdditiveEnergies : public torch::autograd::Function<AdditiveEnergies> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& keys,
                            const at::Tensor& query,
                            const std::optional<at::Tensor>& features,
                            const std::optional<at::Tensor>& weight,
                            const at::Tensor& v,
                            const at::Tensor& mask,
                            const SharedInput* shared) {
    const AdditiveTensors in{keys, query, from_optional(features), from_optional(weight), v, mask};
    const at::Tensor activations =
        at::empty({query.size(0), keys.size(1), keys.size(2)}, keys.options());
    ctx->save_for_backward({keys, query, in.features, in.weight, v, mask, activations});
    ctx->saved_data["gradient"] = saved_gradient(*shared);
    return run_energies(in, activations);
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    const AdditiveTensors in{saved[0], saved[1], saved[2], saved[3], saved[4], saved[5]};
    const SharedSum d_keys(ctx, in.keys);
    const EnergyGradients d(in, d_keys, in.features.defined() && ctx->needs_input_grad(2));
    run_energies_backward(in, /*activations=*/saved[6], outputs[0].contiguous(), d);
    const int64_t features = in.feature_count();
    return {d_keys.for_autograd(),
            d.query,
            d.features,
            features > 0 ? d.weight.narrow(0, 0, features) : at::Tensor(),
            d.weight[features],
            at::Tensor(),
            at::Tensor()};
  }
};

class AttendedSum : public torch::autograd::Function<AttendedSum> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& weights,
                            const at::Tensor& x,
                            const SharedInput* shared) {
    const at::Tensor y = at::empty({weights.size(0), x.size(2)}, x.options());
    for_sums(x, [&]<typename Loops, typename S>(const Loops& loops, S*) {
      at::parallel_for(0, weights.size(0), grain(x), [&](int64_t first, int64_t last) {
        loops.attended_sum(cpu::data<S>(weights),
                           cpu::data<S>(x),
                           cpu::mutable_data<S>(y),
                           x.size(1),
                           {first, last, x.size(2)});
      });
    });
    ctx->save_for_backward({weights, x});
    ctx->saved_data["gradient"] = saved_gradient(*shared);
    return y;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    const at::Tensor &weights = saved[0], &x = saved[1];
    const at::Tensor dy = outputs[0].contiguous();
    const SharedSum dx(ctx, x);
    const at::Tensor d_weights = at::empty_like(weights);
    for_sums(x, [&]<typename Loops, typename S>(const Loops& loops, S*) {
      at::parallel_for(0, weights.size(0), grain(x), [&](int64_t first, int64_t last) {
        loops.attended_sum_backward(cpu::data<S>(dy),
                                    cpu::data<S>(weights),
                                    cpu::data<S>(x),
                                    cpu::mutable_data<S>(d_weights),
                                    cpu::mutable_data<S>(dx.sum),
                                    x.size(1),
                                    {first, last, x.size(2)});
      });
    });
    return {d_weights, dx.for_autograd(), at::Tensor()};
  }
};

/// Computes the energies by ATen's operators, for devices without kernels.
at::Tensor composed_energies(const AdditiveInput& input, const at::Tensor& mask) {
  const at::Tensor keys = first_rows(input.keys.value, mask.size(0));
  at::Tensor sum = keys + input.query.unsqueeze(1);  // [rows, time, width]
  for (const auto& [x, weight] : input.features) {
    if (x.defined())
      sum = sum + at::matmul(x, weight.t());  // [rows, time, width]
  }
  const at::Tensor energies = at::matmul(at::tanh(sum), input.v);  // [rows, time]
  return energies.masked_fill(mask.logical_not(), kMaskedEnergy);
}

/// Concatenates all kinds of features; undefined if there are none.
TokenFeatures joined(const std::vector<TokenFeatures>& features) {
  std::vector<at::Tensor> x, weights;
  for (const TokenFeatures& kind : features) {
    if (!kind.x.defined())
      continue;
    x.push_back(kind.x);
    weights.push_back(kind.weight);
  }
  if (x.size() < 2)
    return x.empty() ? TokenFeatures{} : TokenFeatures{x[0], weights[0]};
  return {at::cat(x, 2), at::cat(weights, 1)};
}

}  // namespace

at::Tensor additive_energies(const AdditiveInput& input, const at::Tensor& mask) {
  const at::Tensor& keys = input.keys.value;
  if (!has_loops(keys))
    return composed_energies(input, mask);
  const TokenFeatures features = joined(input.features);
  const bool has_features = features.x.defined();
  const AdditiveTensors in{keys,
                           input.query.contiguous(),
                           has_features ? features.x.contiguous() : at::Tensor(),
                           has_features ? features.weight.t().contiguous() : at::Tensor(),
                           input.v.contiguous(),
                           mask.contiguous()};
  if (!at::GradMode::is_enabled())
    return run_energies(in, {});
  return AdditiveEnergies::apply(in.keys,
                                 in.query,
                                 to_optional(in.features),
                                 to_optional(in.weight),
                                 in.v,
                                 in.mask,
                                 &input.keys);
}

at::Tensor attended_sum(const at::Tensor& weights, const SharedInput& x) {
  if (!has_loops(x.value)) {
    const at::Tensor rows = first_rows(x.value, weights.size(0));
    return at::bmm(weights.unsqueeze(1), rows).squeeze(1);  // [rows, width]
  }
  return AttendedSum::apply(weights.contiguous(), x.value, &x);
}

}  // namespace phraseq::nn

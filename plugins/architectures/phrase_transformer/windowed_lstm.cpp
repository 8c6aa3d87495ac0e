#include "plugins/architectures/phrase_transformer/windowed_lstm.h"

#include <array>
#include <vector>

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/functional/device/column_sums.h"
#include "core/nn/functional/device/gpu_kernels.h"
#include "core/nn/functional/linear.h"
#include "core/nn/functional/matrix_product.h"
#include "core/nn/parameters/parameter_gradient.h"
#include "plugins/architectures/phrase_transformer/lstm_on_gpu.h"
#include "plugins/architectures/phrase_transformer/lstm_passes.h"
#include "plugins/architectures/phrase_transformer/windowed_lstm_reference.h"

namespace phraseq::phrase_transformer {
namespace {

namespace cpu = nn::cpu;
using nn::kernels::Sum;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// x as the kernels of its device read it.
at::Tensor dense(const at::Tensor& x) { return x.is_cuda() ? nn::gpu::aligned(x) : x.contiguous(); }

void save_windows(AutogradContext* ctx, const Windows& windows) {
  auto& data = ctx->saved_data;
  data["positions"] = windows.positions;
  data["gram"] = windows.gram;
  data["streams"] = windows.streams;
}

Windows saved_windows(AutogradContext* ctx) {
  auto& data = ctx->saved_data;
  return {data["positions"].toTensor(), data["gram"].toInt(), data["streams"].toInt()};
}

class GatherWindows : public torch::autograd::Function<GatherWindows> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& rows,
                            const Windows* windows,
                            double p,
                            uint64_t key) {
    save_windows(ctx, *windows);
    ctx->saved_data["p"] = p;
    ctx->saved_data["key"] = static_cast<int64_t>(key);
    return gather_places(rows, *windows, cpu::make_dropout(p, key));
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    auto& data = ctx->saved_data;
    const auto dropout =
        cpu::make_dropout(data["p"].toDouble(), static_cast<uint64_t>(data["key"].toInt()));
    return {sum_places(dense(outputs[0]), saved_windows(ctx), dropout), {}, {}, {}};
  }
};

/// [rows, columns] → [columns], in the sums' type.
at::Tensor column_sums(const at::Tensor& x) {
  if (x.is_cuda())
    return nn::column_sums(x);
  const int64_t columns = x.size(1);
  const at::Tensor sums = at::zeros({columns}, cpu::sum_options(x));
  cpu::for_type(x.scalar_type(), [&]<typename T>(T*) {
    using S = Sum<T>;
    S* into = cpu::mutable_data<S>(sums);
    cpu::sum_over_rows(x.size(0), columns, into, [&](int64_t first, int64_t last, S* partial) {
      cpu::loops<T>().column_sums(cpu::data<T>(x), partial, {first, last, columns});
    });
  });
  return sums;
}

void save_setting(AutogradContext* ctx, const LstmSetting& setting) {
  auto& data = ctx->saved_data;
  data["hidden"] = setting.add_hidden;
  data["cell"] = setting.add_cell;
  data["shared"] = setting.shared_products;
}

LstmSetting saved_setting(AutogradContext* ctx) {
  auto& data = ctx->saved_data;
  return {data["hidden"].toBool(), data["cell"].toBool(), data["shared"].toBool()};
}

/// The variables of a direction, in the order of LstmParameters.
constexpr size_t kParameters = 4;

at::TensorList of_direction(at::TensorList both, bool reversed) {
  return both.slice(reversed ? kParameters : 0, kParameters);
}

/// The number of tensors that a direction saves for its backward pass: its steps, and its weights
/// in the form in which they were used.
constexpr size_t kSaved = 5;

struct SavedDirection {
  SavedDirection(const tensor_list& saved, size_t first)
      : steps{saved[first], saved[first + 1], saved[first + 2]},
        weight_ih(saved[first + 3]),
        weight_hh(saved[first + 4]) {}

  Steps steps;
  at::Tensor weight_ih, weight_hh;
};

/// Writes the gradients of the parameters of a direction; `places` are their parts of the flat
/// gradients.
struct DirectionGradients {
  DirectionGradients(at::TensorList places, const at::Tensor& weight)
      : weight_ih(places[0], weight.sizes(), cpu::sum_options(weight)),
        weight_hh(places[1], weight.sizes(), cpu::sum_options(weight)),
        bias_ih(places[2], {weight.size(0)}, cpu::sum_options(weight)),
        bias_hh(places[3], {weight.size(0)}, cpu::sum_options(weight)) {}

  void add_to(tensor_list& gradients) const {
    for (const auto* gradient : {&weight_ih, &weight_hh, &bias_ih, &bias_hh})
      gradients.push_back(gradient->for_autograd());
  }

  nn::ParameterGradient weight_ih, weight_hh, bias_ih, bias_hh;
};

/// Variables: input, and the parameters of both directions.
class WindowedLstm : public torch::autograd::Function<WindowedLstm> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& input,
                            at::TensorList parameters,
                            const Windows* windows,
                            const LstmSetting* setting,
                            nn::Context* context,
                            bool keep) {
    tensor_list saved{input};
    std::array<Steps, 2> both;
    for (const bool reversed : {false, true}) {
      const at::TensorList own = of_direction(parameters, reversed);
      const LstmParameters used{
          keep ? context->compute(own[0]) : at::Tensor(), context->compute(own[1]), own[2], own[3]};
      const at::Tensor products = nn::linear(input, own[0], {}, *context);  // [… rows, 4 · width]
      Steps& steps = both[reversed];
      steps = run_forward(products, used, {*windows, *setting, reversed}, keep);
      saved.insert(saved.end(), {steps.gates, steps.c, steps.h, used.weight_ih, used.weight_hh});
    }
    ctx->save_for_backward(saved);
    save_windows(ctx, *windows);
    save_setting(ctx, *setting);
    c10::List<at::Tensor> places;
    for (const at::Tensor& parameter : parameters) places.push_back(context->gradient(parameter));
    ctx->saved_data["places"] = places;
    return sum_of_last_states(both, *windows, *setting);
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    const at::Tensor d_last = dense(outputs[0]);
    const auto places = ctx->saved_data["places"].toTensorVector();
    tensor_list gradients(1);
    for (const bool reversed : {false, true}) {
      const SavedDirection direction(saved, 1 + (reversed ? kSaved : 0));
      DirectionGradients own(of_direction(places, reversed), direction.weight_hh);
      const at::Tensor d_products = backward_to_products(ctx, direction, reversed, d_last, own);
      own.weight_ih.add_product(d_products.t(), saved[0]);
      own.add_to(gradients);
      if (reversed)
        nn::add_matrix_product(gradients[0], d_products, direction.weight_ih);
      else
        gradients[0] = nn::matrix_product(d_products, direction.weight_ih);  // as the input
    }
    gradients.resize(gradients.size() + 4);
    return gradients;
  }

 private:
  /// Returns the gradient of a direction's products, and adds the gradients of its recurrent weight
  /// and its biases.
  static at::Tensor backward_to_products(AutogradContext* ctx,
                                         const SavedDirection& direction,
                                         bool reversed,
                                         const at::Tensor& d_last,
                                         DirectionGradients& own) {
    const Windows windows = saved_windows(ctx);
    const LstmSetting setting = saved_setting(ctx);
    const DirectionPass pass{windows, setting, reversed};
    const Steps& steps = direction.steps;
    const at::Tensor d_gates = run_backward(steps, direction.weight_hh, pass, d_last);
    if (windows.gram > 1)
      own.weight_hh.add_product(pass.with_past(d_gates).t(),  // [4 · width, (gram - 1) · rows]
                                pass.pasts(steps.h));         // [(gram - 1) · rows, width]
    const at::Tensor d_places = d_gates.flatten(0, 1);        // [gram · rows, 4 · width]
    const at::Tensor d_bias = column_sums(d_places);          // [4 · width]
    own.bias_ih.add(d_bias);
    own.bias_hh.add(d_bias);
    return setting.shared_products ? sum_places(d_places, windows, {}) : d_places;
  }
};

/// The variables of the node, in the order of of_direction.
std::vector<at::Tensor> variables_of(const LstmParameters& forward,
                                     const LstmParameters& backward) {
  std::vector<at::Tensor> variables;
  for (const auto& [weight_ih, weight_hh, bias_ih, bias_hh] : {forward, backward})
    variables.insert(variables.end(), {weight_ih, weight_hh, bias_ih, bias_hh});
  return variables;
}

/// Whether lstm_passes.h supports these rows.
bool has_passes(const at::Tensor& rows) {
  return cpu::has_kernels(rows) || gpu::has_lstm_kernels(rows);
}

}  // namespace

at::Tensor gather_windows(const at::Tensor& rows,
                          const Windows& windows,
                          double dropout,
                          nn::Context& context) {
  const uint64_t key = cpu::dropout_key(dropout, context);
  if (has_passes(rows))
    return GatherWindows::apply(dense(rows), &windows, dropout, key);
  return reference::gather_windows(rows, windows, dropout, key);
}

at::Tensor windowed_lstm(const at::Tensor& input,
                         const LstmParameters& forward,
                         const LstmParameters& backward,
                         const Windows& windows,
                         const LstmSetting& setting,
                         nn::Context& context) {
  if (has_passes(input)) {
    const auto variables = variables_of(forward, backward);
    return WindowedLstm::apply(dense(input),
                               at::TensorList(variables),
                               &windows,
                               &setting,
                               &context,
                               c10::GradMode::is_enabled());
  }
  const auto last = [&](const LstmParameters& direction, bool reversed) {
    const at::Tensor products = nn::linear(input, direction.weight_ih, {}, context);
    return reference::windowed_lstm(products, direction, windows, setting, reversed);
  };
  return last(forward, /*reversed=*/false) + last(backward, /*reversed=*/true);  // [rows, width]
}

}  // namespace phraseq::phrase_transformer

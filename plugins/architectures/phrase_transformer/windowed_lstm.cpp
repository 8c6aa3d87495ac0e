#include "plugins/architectures/phrase_transformer/windowed_lstm.h"

#include <array>
#include <vector>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/functional/linear.h"
#include "core/nn/functional/matrix_product.h"
#include "core/nn/parameters/parameter_gradient.h"
#include "plugins/architectures/phrase_transformer/lstm_kernels.h"
#include "plugins/architectures/phrase_transformer/windowed_lstm_reference.h"

namespace phraseq::phrase_transformer {
namespace {

namespace cpu = nn::cpu;
using nn::kernels::Sum;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

template <typename T>
lstm_kernels::WindowTask<T> window_task(const Windows& windows,
                                        const nn::kernels::Dropout& dropout,
                                        const at::Tensor& from,
                                        const at::Tensor& to) {
  return {windows.rows(),
          from.size(1),
          windows.gram,
          windows.positions.const_data_ptr<int64_t>(),
          windows.streams,
          dropout,
          cpu::data<T>(from),
          cpu::mutable_data<T>(to)};
}

/// The passes for the processor that runs this.
template <typename T>
const lstm_kernels::LstmKernels<T>& loops() {
  return lstm_kernels::kernels<T>(nn::kernels::best_level());
}

/// [gram · rows, width] → [rows, width]: what all places of a row add up to.
at::Tensor sum_places(const at::Tensor& places,
                      const Windows& windows,
                      const nn::kernels::Dropout& dropout) {
  const at::Tensor sums = at::empty({windows.rows(), places.size(1)}, places.options());
  cpu::for_type(places.scalar_type(), [&]<typename T>(T*) {
    const auto task = window_task<T>(windows, dropout, places, sums);
    cpu::over_rows(windows.rows(), places.size(1), [&](int64_t first, int64_t last) {
      loops<T>().sum_places(task, first, last);
    });
  });
  return sums;
}

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
    const at::Tensor places =
        at::empty({windows->gram * windows->rows(), rows.size(1)}, rows.options());
    cpu::for_type(rows.scalar_type(), [&]<typename T>(T*) {
      const auto task = window_task<T>(*windows, cpu::make_dropout(p, key), rows, places);
      cpu::over_rows(windows->rows(), rows.size(1), [&](int64_t first, int64_t last) {
        loops<T>().gather_places(task, first, last);
      });
    });
    save_windows(ctx, *windows);
    ctx->saved_data["p"] = p;
    ctx->saved_data["key"] = static_cast<int64_t>(key);
    return places;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    auto& data = ctx->saved_data;
    const auto dropout =
        cpu::make_dropout(data["p"].toDouble(), static_cast<uint64_t>(data["key"].toInt()));
    return {sum_places(outputs[0].contiguous(), saved_windows(ctx), dropout), {}, {}, {}};
  }
};

/// What a forward pass makes and the backward pass reads, by place of the windows; without a
/// backward pass all places share the memory of one.
struct Steps {
  at::Tensor gates;  ///< [gram, rows, 4·width], activated
  at::Tensor c, h;   ///< [gram, rows, width], after the place
};

/// One place of [gram, rows, …], or the one that is kept.
at::Tensor of_place(const at::Tensor& places, int64_t place) {
  return places[places.size(0) == 1 ? 0 : place];  // [rows, …]
}

/// One direction over all windows: the places in the order of its steps, and where the recurrence
/// stands among them.
struct DirectionPass {
  int64_t gram() const { return windows.gram; }
  int64_t place(int64_t step) const { return reversed ? gram() - 1 - step : step; }
  int64_t last() const { return place(gram() - 1); }
  /// All places but the first step's, and for each of them the one before: two blocks side by side.
  at::Tensor with_past(const at::Tensor& places) const {
    return places.narrow(0, reversed ? 0 : 1, gram() - 1).flatten(0, 1);  // [(gram - 1) · rows, …]
  }
  at::Tensor pasts(const at::Tensor& places) const {
    return places.narrow(0, reversed ? 1 : 0, gram() - 1).flatten(0, 1);  // [(gram - 1) · rows, …]
  }

  const Windows& windows;
  const LstmSetting& setting;
  bool reversed;
};

/// Runs one step; `recurrent` are the products of the state before, undefined at the first.
template <typename T>
void run_step(const Steps& steps,
              const at::Tensor& products,
              const at::Tensor& recurrent,
              const at::Tensor& bias,
              const DirectionPass& pass,
              int64_t step) {
  using S = Sum<T>;
  const Windows& windows = pass.windows;
  const LstmSetting& setting = pass.setting;
  const int64_t width = steps.c.size(2), place = pass.place(step);
  const int64_t shift = setting.shared_products ? windows.gram - 1 - place : 0;
  const at::Tensor nothing = at::zeros({4 * width}, products.options());
  const lstm_kernels::StepTask<T> task{
      .width = width,
      .products = cpu::data<T>(setting.shared_products ? products : of_place(steps.gates, place)),
      .back = {windows.positions.const_data_ptr<int64_t>(), windows.streams, shift},
      .nothing = cpu::data<T>(nothing),
      .recurrent = cpu::data<T>(recurrent),
      .c_before = step == 0 ? nullptr : cpu::data<S>(of_place(steps.c, pass.place(step - 1))),
      .bias = cpu::data<S>(bias),
      .gates = cpu::mutable_data<T>(of_place(steps.gates, place)),
      .c = cpu::mutable_data<S>(of_place(steps.c, place)),
      .h = cpu::mutable_data<T>(of_place(steps.h, place))};
  cpu::over_rows(windows.rows(), 4 * width, [&](int64_t first, int64_t last) {
    loops<T>().step(task, first, last);
  });
}

/// Where a direction's steps are written. The products of each place are overwritten.
Steps steps_for(const at::Tensor& products, const DirectionPass& pass, bool keep) {
  const int64_t gram = pass.gram(), kept = keep ? gram : 1, rows = pass.windows.rows(),
                width = products.size(1) / 4;
  return {pass.setting.shared_products
              ? at::empty({kept, rows, 4 * width}, products.options())
              : products.view({gram, rows, 4 * width}),  // [gram, rows, 4 · width]
          at::empty({kept, rows, width}, cpu::sum_options(products)),
          at::empty({kept, rows, width}, products.options())};
}

/// One direction, from the products of its inputs (LstmSetting::shared_products).
Steps run_forward(const at::Tensor& products,
                  const LstmParameters& parameters,
                  const DirectionPass& pass,
                  bool keep) {
  Steps steps = steps_for(products, pass, keep);
  const at::Tensor bias = parameters.bias_ih + parameters.bias_hh;
  for (int64_t step = 0; step < pass.gram(); ++step) {
    const at::Tensor recurrent =  // [rows, 4 · width]
        step == 0
            ? at::Tensor()
            : nn::matrix_product(of_place(steps.h, pass.place(step - 1)), parameters.weight_hh.t());
    cpu::for_type(products.scalar_type(), [&]<typename T>(T*) {
      run_step<T>(steps, products, recurrent, bias, pass, step);
    });
  }
  return steps;
}

/// The states after the last steps of both directions.
template <typename T>
lstm_kernels::LastStates<T> last_states(const std::array<Steps, 2>& both,
                                        const Windows& windows,
                                        const LstmSetting& setting) {
  lstm_kernels::LastStates<T> last{};
  for (const bool reversed : {false, true}) {
    const int64_t place = DirectionPass{windows, setting, reversed}.last();
    if (setting.add_hidden)
      last.h[reversed] = cpu::data<T>(of_place(both[reversed].h, place));
    if (setting.add_cell)
      last.c[reversed] = cpu::data<Sum<T>>(of_place(both[reversed].c, place));
  }
  return last;
}

/// The sum that the setting asks for of the last states of both directions, [rows, width].
at::Tensor sum_of_last_states(const std::array<Steps, 2>& both,
                              const Windows& windows,
                              const LstmSetting& setting) {
  const at::Tensor& h = both[0].h;
  const int64_t rows = windows.rows(), width = h.size(2);
  const at::Tensor sum = at::empty({rows, width}, h.options());
  cpu::for_type(h.scalar_type(), [&]<typename T>(T*) {
    const auto last_ones = last_states<T>(both, windows, setting);
    cpu::over_rows(rows, width, [&](int64_t first, int64_t last) {
      loops<T>().sum_last(last_ones, cpu::mutable_data<T>(sum), first * width, last * width);
    });
  });
  return sum;
}

/// The gradients of the products of each place, [gram, rows, 4·width], from that of the last state.
at::Tensor run_backward(const Steps& steps,
                        const at::Tensor& weight_hh,
                        const DirectionPass& pass,
                        const at::Tensor& d_last) {
  const Windows& windows = pass.windows;
  const LstmSetting& setting = pass.setting;
  const int64_t width = steps.c.size(2);
  const at::Tensor d_gates = at::empty(steps.gates.sizes(), steps.gates.options());
  at::Tensor dh = setting.add_hidden ? d_last : at::zeros_like(d_last);
  const at::Tensor dc = setting.add_cell ? d_last.to(steps.c.scalar_type(), false, /*copy=*/true)
                                         : at::zeros(d_last.sizes(), steps.c.options());
  for (int64_t step = windows.gram - 1; step >= 0; --step) {
    const int64_t place = pass.place(step);
    cpu::for_type(d_last.scalar_type(), [&]<typename T>(T*) {
      using S = Sum<T>;
      const lstm_kernels::StepGradientTask<T> task{
          .width = width,
          .gates = cpu::data<T>(of_place(steps.gates, place)),
          .c_before = step == 0 ? nullptr : cpu::data<S>(of_place(steps.c, pass.place(step - 1))),
          .c = cpu::data<S>(of_place(steps.c, place)),
          .dh = cpu::data<T>(dh),
          .dc = cpu::mutable_data<S>(dc),
          .d_gates = cpu::mutable_data<T>(d_gates[place])};
      cpu::over_rows(windows.rows(), 4 * width, [&](int64_t first, int64_t last) {
        loops<T>().step_backward(task, first, last);
      });
    });
    if (step > 0)
      dh = nn::matrix_product(d_gates[place], weight_hh);  // [rows, width]
  }
  return d_gates;
}

/// [rows, columns] → [columns], in the sums' type.
at::Tensor column_sums(const at::Tensor& x) {
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

/// What a direction leaves for its backward pass: its steps, and its weights as they were used.
constexpr size_t kSaved = 5;

struct SavedDirection {
  SavedDirection(const tensor_list& saved, size_t first)
      : steps{saved[first], saved[first + 1], saved[first + 2]},
        weight_ih(saved[first + 3]),
        weight_hh(saved[first + 4]) {}

  Steps steps;
  at::Tensor weight_ih, weight_hh;
};

/// Writes the gradients of the parameters of a direction; `places` are those in the flat gradients.
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
    const at::Tensor d_last = outputs[0].contiguous();
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
  /// The gradient of a direction's products; adds those of its recurrent weight and its biases.
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

}  // namespace

at::Tensor gather_windows(const at::Tensor& rows,
                          const Windows& windows,
                          double dropout,
                          nn::Context& context) {
  const uint64_t key = cpu::dropout_key(dropout, context);
  if (cpu::has_kernels(rows))
    return GatherWindows::apply(rows.contiguous(), &windows, dropout, key);
  return reference::gather_windows(rows, windows, dropout, key);
}

at::Tensor windowed_lstm(const at::Tensor& input,
                         const LstmParameters& forward,
                         const LstmParameters& backward,
                         const Windows& windows,
                         const LstmSetting& setting,
                         nn::Context& context) {
  if (cpu::has_kernels(input)) {
    const auto variables = variables_of(forward, backward);
    return WindowedLstm::apply(input.contiguous(),
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
  return last(forward, false) + last(backward, true);  // [rows, width]
}

}  // namespace phraseq::phrase_transformer

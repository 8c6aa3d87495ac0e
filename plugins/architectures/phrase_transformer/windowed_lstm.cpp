#include "plugins/architectures/phrase_transformer/windowed_lstm.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/nn/cpu_kernels.h"
#include "plugins/architectures/phrase_transformer/lstm_kernels.h"
#include "plugins/architectures/phrase_transformer/windowed_lstm_composite.h"

namespace phraseq {
namespace {

namespace cpu = nn::cpu;
using nn::kernels::Sum;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

at::TensorOptions sum_options(const at::Tensor& x) {
  return x.options().dtype(cpu::sum_type(x.scalar_type()));
}

/// work(first, last) over rows of `columns` elements, on as many threads as pay.
template <typename Work>
void over_rows(int64_t rows, int64_t columns, const Work& work) {
  at::parallel_for(0, rows, cpu::row_grain(columns), work);
}

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

/// [gram · rows, width] → [rows, width]: what all places of a row add up to.
at::Tensor sum_places(const at::Tensor& places,
                      const Windows& windows,
                      const nn::kernels::Dropout& dropout) {
  const at::Tensor sums = at::empty({windows.rows(), places.size(1)}, places.options());
  cpu::for_type(places.scalar_type(), [&]<typename T>(T*) {
    const auto task = window_task<T>(windows, dropout, places, sums);
    over_rows(windows.rows(), places.size(1), [&](int64_t first, int64_t last) {
      lstm_kernels::sum_places(task, first, last);
    });
  });
  return sums;
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
      over_rows(windows->rows(), rows.size(1), [&](int64_t first, int64_t last) {
        lstm_kernels::gather_places(task, first, last);
      });
    });
    ctx->saved_data["positions"] = windows->positions;
    ctx->saved_data["gram"] = windows->gram;
    ctx->saved_data["streams"] = windows->streams;
    ctx->saved_data["p"] = p;
    ctx->saved_data["key"] = static_cast<int64_t>(key);
    return places;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    auto& data = ctx->saved_data;
    const Windows windows{
        data["positions"].toTensor(), data["gram"].toInt(), data["streams"].toInt()};
    const auto dropout =
        cpu::make_dropout(data["p"].toDouble(), static_cast<uint64_t>(data["key"].toInt()));
    return {sum_places(outputs[0].contiguous(), windows, dropout), {}, {}, {}};
  }
};

/// The two directions read the places in opposite order.
int64_t place_of(const Windows& windows, int64_t step, int64_t direction) {
  return direction == 0 ? step : windows.gram - 1 - step;
}

/// What a forward pass makes and the backward pass reads.
struct Steps {
  at::Tensor gates;  ///< [gram, rows, 2, 4·width], activated
  at::Tensor c;      ///< [gram, 2, rows, width], by step
  at::Tensor h;      ///< as c

  at::Tensor gates_of(const Windows& windows, int64_t step, int64_t direction) const {
    return gates[place_of(windows, step, direction)].select(1, direction);  // [rows, 4·width]
  }
};

/// W_hh of both directions as products read them, [4·width, width].
using Matrices = std::array<at::Tensor, 2>;

template <typename T>
lstm_kernels::StepTask<T> step_task(const Steps& steps,
                                    const at::Tensor& products,
                                    const at::Tensor& bias,
                                    const Windows& windows,
                                    int64_t step,
                                    int64_t direction) {
  using S = Sum<T>;
  const int64_t width = steps.c.size(3);
  const int64_t shift = windows.gram - 1 - place_of(windows, step, direction);
  return {.width = width,
          .stride = 8 * width,
          .gates = cpu::mutable_data<T>(steps.gates_of(windows, step, direction)),
          .add_gates = step > 0 || !products.defined(),
          .products = products.defined() ? cpu::data<T>(products) + direction * 4 * width : nullptr,
          .back = {windows.positions.const_data_ptr<int64_t>(), windows.streams, shift},
          .bias = cpu::data<S>(bias[direction]),
          .nothing = nullptr,
          .c_before = step == 0 ? nullptr : cpu::data<S>(steps.c[step - 1][direction]),
          .c = cpu::mutable_data<S>(steps.c[step][direction]),
          .h = cpu::mutable_data<T>(steps.h[step][direction])};
}

/// Adds the recurrent products to a step's gates, or makes them where nothing is yet.
void add_recurrence(const at::Tensor& gates,
                    const at::Tensor& h,
                    const at::Tensor& weight,
                    bool add) {
  at::Tensor sum = gates;
  if (add) {
    sum.addmm_(h, weight.t());
  } else {
    at::mm_out(sum, h, weight.t());
  }
}

/// `products`: those that all windows share; undefined when the gates hold each place's own.
void run_forward(const Steps& steps,
                 const at::Tensor& products,
                 const Matrices& weights,
                 const at::Tensor& bias,
                 const Windows& windows) {
  const int64_t width = steps.c.size(3);
  const at::Tensor nothing = at::zeros({4 * width}, steps.gates.options());
  for (int64_t step = 0; step < windows.gram; ++step) {
    for (int64_t direction = 0; direction < 2; ++direction) {
      if (step > 0) {
        add_recurrence(steps.gates_of(windows, step, direction),
                       steps.h[step - 1][direction],
                       weights[direction],
                       !products.defined());
      }
      cpu::for_type(nothing.scalar_type(), [&]<typename T>(T*) {
        auto task = step_task<T>(steps, products, bias, windows, step, direction);
        task.nothing = cpu::data<T>(nothing);
        over_rows(windows.rows(), 4 * width, [&](int64_t first, int64_t last) {
          lstm_kernels::step(task, first, last);
        });
      });
    }
  }
}

at::Tensor sum_states(const Steps& steps, const Windows& windows, const LstmSetting& setting) {
  const int64_t width = steps.c.size(3), last_step = windows.gram - 1;
  const at::Tensor result = at::empty({windows.rows(), width}, steps.gates.options());
  cpu::for_type(result.scalar_type(), [&]<typename T>(T*) {
    lstm_kernels::SumTask<T> task{.width = width,
                                  .stride = 8 * width,
                                  .gates = {},
                                  .c = {},
                                  .add_hidden = setting.add_hidden,
                                  .add_cell = setting.add_cell,
                                  .result = cpu::mutable_data<T>(result)};
    for (int64_t direction = 0; direction < 2; ++direction) {
      task.gates[direction] = cpu::data<T>(steps.gates_of(windows, last_step, direction));
      task.c[direction] = cpu::data<Sum<T>>(steps.c[last_step][direction]);
    }
    over_rows(windows.rows(), 2 * width, [&](int64_t first, int64_t last) {
      lstm_kernels::sum_states(task, first, last);
    });
  });
  return result;
}

/// A matrix's gradient, added to its place among the flat gradients when it has one.
class MatrixGradient {
 public:
  MatrixGradient(const at::Tensor& place, const at::Tensor& like)
      : place_(place.defined() ? place : at::zeros(like.sizes(), sum_options(like))),
        own_(!place.defined()) {}
  /// += a b
  void add_product(const at::Tensor& a, const at::Tensor& b) {
    if (place_.scalar_type() == a.scalar_type()) {
      place_.addmm_(a, b);
    } else {
      cpu::add_to(place_, at::mm(a, b));
    }
  }
  /// What autograd still has to be given.
  at::Tensor rest() const { return own_ ? place_ : at::Tensor(); }

 private:
  at::Tensor place_;
  bool own_;
};

/// Runs the steps backwards from the gradient of the result; the gradients of the products, laid
/// out as the gates, and those of the matrices.
at::Tensor run_backward(const Steps& steps,
                        const Matrices& weights,
                        const Windows& windows,
                        const LstmSetting& setting,
                        const at::Tensor& d_result,
                        std::array<MatrixGradient, 2>& d_weights) {
  const int64_t width = steps.c.size(3);
  const Steps gradients{at::empty(steps.gates.sizes(), steps.gates.options()), {}, {}};
  for (int64_t direction = 0; direction < 2; ++direction) {
    at::Tensor dh = setting.add_hidden ? d_result : at::zeros_like(d_result);
    const at::Tensor dc = setting.add_cell
                              ? d_result.to(steps.c.scalar_type(), false, /*copy=*/true)
                              : at::zeros(d_result.sizes(), steps.c.options());
    for (int64_t step = windows.gram - 1; step >= 0; --step) {
      const at::Tensor d_gates = gradients.gates_of(windows, step, direction);
      cpu::for_type(d_result.scalar_type(), [&]<typename T>(T*) {
        using S = Sum<T>;
        const lstm_kernels::StepGradientTask<T> task{
            .width = width,
            .stride = 8 * width,
            .gates = cpu::data<T>(steps.gates_of(windows, step, direction)),
            .c_before = step == 0 ? nullptr : cpu::data<S>(steps.c[step - 1][direction]),
            .c = cpu::data<S>(steps.c[step][direction]),
            .dh = cpu::data<T>(dh),
            .dc = cpu::mutable_data<S>(dc),
            .d_gates = cpu::mutable_data<T>(d_gates)};
        over_rows(windows.rows(), 4 * width, [&](int64_t first, int64_t last) {
          lstm_kernels::step_backward(task, first, last);
        });
      });
      if (step > 0) {
        d_weights[direction].add_product(d_gates.t(), steps.h[step - 1][direction]);
        dh = at::mm(d_gates, weights[direction]);
      }
    }
  }
  return gradients.gates;
}

/// Adds the column sums of x to both biases' places of each direction, or returns them.
tensor_list bias_gradients(const at::Tensor& d_gates, const std::vector<at::Tensor>& places) {
  const int64_t columns = d_gates.size(1);
  const at::Tensor sums = at::zeros({columns}, sum_options(d_gates));
  cpu::for_type(d_gates.scalar_type(), [&]<typename T>(T*) {
    using S = Sum<T>;
    cpu::sum_over_rows(
        d_gates.size(0),
        columns,
        cpu::mutable_data<S>(sums),
        [&](int64_t first, int64_t last, S* partial) {
          cpu::loops<T>().column_sums(cpu::data<T>(d_gates), partial, {first, last, columns});
        });
  });
  tensor_list rest;
  for (size_t i = 0; i < places.size(); ++i) {
    const at::Tensor sum = sums.narrow(0, static_cast<int64_t>(i % 2) * columns / 2, columns / 2);
    if (places[i].defined()) {
      at::Tensor place = places[i];
      place.add_(sum);
    }
    rest.push_back(places[i].defined() ? at::Tensor() : sum);
  }
  return rest;
}

/// Variables: products; W_hh, b_ih and b_hh, each forward and backward.
class WindowedLstm : public torch::autograd::Function<WindowedLstm> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& products,
                            at::TensorList parameters,
                            const Windows* windows,
                            const LstmSetting* setting,
                            const nn::Context* context) {
    const int64_t gram = windows->gram, rows = windows->rows(), width = products.size(1) / 8;
    const Matrices weights = {context->compute(parameters[0]), context->compute(parameters[1])};
    const at::Tensor bias =
        at::stack({parameters[2] + parameters[4], parameters[3] + parameters[5]});
    const at::Tensor gates = setting->shared_products
                                 ? at::empty({gram, rows, 2, 4 * width}, products.options())
                                 : products.detach().view({gram, rows, 2, 4 * width});
    const Steps steps{gates,
                      at::empty({gram, 2, rows, width}, sum_options(products)),
                      at::empty({gram, 2, rows, width}, products.options())};
    run_forward(steps, setting->shared_products ? products : at::Tensor(), weights, bias, *windows);
    ctx->save_for_backward({steps.gates, steps.c, steps.h, weights[0], weights[1]});
    auto& data = ctx->saved_data;
    data["positions"] = windows->positions;
    data["gram"] = gram;
    data["streams"] = windows->streams;
    data["hidden"] = setting->add_hidden;
    data["cell"] = setting->add_cell;
    data["shared"] = setting->shared_products;
    for (size_t i = 0; i < parameters.size(); ++i)
      data["place " + std::to_string(i)] = context->gradient(parameters[i]);
    return sum_states(steps, *windows, *setting);
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    auto& data = ctx->saved_data;
    const Windows windows{
        data["positions"].toTensor(), data["gram"].toInt(), data["streams"].toInt()};
    const LstmSetting setting{
        data["hidden"].toBool(), data["cell"].toBool(), data["shared"].toBool()};
    std::vector<at::Tensor> places;
    for (size_t i = 0; i < 6; ++i) places.push_back(data["place " + std::to_string(i)].toTensor());
    std::array<MatrixGradient, 2> d_weights = {MatrixGradient(places[0], saved[3]),
                                               MatrixGradient(places[1], saved[4])};
    const at::Tensor d_gates = run_backward({saved[0], saved[1], saved[2]},
                                            {saved[3], saved[4]},
                                            windows,
                                            setting,
                                            outputs[0].contiguous(),
                                            d_weights)
                                   .flatten(2)
                                   .flatten(0, 1);  // [gram · rows, 8 · width]
    tensor_list gradients = {setting.shared_products ? sum_places(d_gates, windows, {}) : d_gates,
                             d_weights[0].rest(),
                             d_weights[1].rest()};
    for (const at::Tensor& rest : bias_gradients(d_gates, {places.begin() + 2, places.end()}))
      gradients.push_back(rest);
    gradients.resize(gradients.size() + 3);  // windows, setting, context
    return gradients;
  }
};

}  // namespace

at::Tensor gather_windows(const at::Tensor& rows,
                          const Windows& windows,
                          double dropout,
                          nn::Context& context) {
  const uint64_t key = cpu::dropout_key(dropout, context);
  if (rows.is_cpu())
    return GatherWindows::apply(rows.contiguous(), &windows, dropout, key);
  return composite::gather_windows(rows, windows, dropout, key);
}

at::Tensor windowed_lstm(const at::Tensor& products,
                         const LstmParameters& parameters,
                         const Windows& windows,
                         const LstmSetting& setting,
                         nn::Context& context) {
  if (!products.is_cpu())
    return composite::windowed_lstm(products, parameters, windows, setting);
  const tensor_list all = {parameters.weight_hh[0],
                           parameters.weight_hh[1],
                           parameters.bias_ih[0],
                           parameters.bias_ih[1],
                           parameters.bias_hh[0],
                           parameters.bias_hh[1]};
  return WindowedLstm::apply(
      products.contiguous(), at::TensorList(all), &windows, &setting, &context);
}

}  // namespace phraseq

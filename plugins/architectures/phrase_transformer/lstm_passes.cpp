#include "plugins/architectures/phrase_transformer/lstm_passes.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/functional/matrix_product.h"
#include "plugins/architectures/phrase_transformer/lstm_kernels.h"
#include "plugins/architectures/phrase_transformer/lstm_on_gpu.h"

namespace phraseq::phrase_transformer {
namespace {

namespace cpu = nn::cpu;
using nn::kernels::Sum;

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

/// One place of [gram, rows, …], or the only one if just one is stored.
at::Tensor of_place(const at::Tensor& places, int64_t place) {
  return places[places.size(0) == 1 ? 0 : place];  // [rows, …]
}

/// The cell state before a step, undefined at the first one.
at::Tensor cell_before(const Steps& steps, const DirectionPass& pass, int64_t step) {
  return step == 0 ? at::Tensor() : of_place(steps.c, pass.place(step - 1));
}

/// The terms that one step adds.
struct StepInput {
  const at::Tensor& products;   ///< products of the inputs
  const at::Tensor& recurrent;  ///< products of the previous state; undefined at the first step
  const at::Tensor& bias;
};

void run_step_on_gpu(const Steps& steps,
                     const StepInput& input,
                     const DirectionPass& pass,
                     int64_t step) {
  const int64_t place = pass.place(step);
  const bool shared = pass.setting.shared_products;
  gpu::run_step({.products = shared ? input.products : of_place(steps.gates, place),
                 .shift = shared ? pass.gram() - 1 - place : 0,
                 .recurrent = input.recurrent,
                 .bias = input.bias,
                 .c_before = cell_before(steps, pass, step),
                 .gates = of_place(steps.gates, place),
                 .c = of_place(steps.c, place),
                 .h = of_place(steps.h, place)},
                pass.windows);
}

template <typename T>
void run_step(const Steps& steps, const StepInput& input, const DirectionPass& pass, int64_t step) {
  using S = Sum<T>;
  const Windows& windows = pass.windows;
  const LstmSetting& setting = pass.setting;
  const int64_t width = steps.c.size(2), place = pass.place(step);
  const int64_t shift = setting.shared_products ? windows.gram - 1 - place : 0;
  const at::Tensor nothing = at::zeros({4 * width}, input.products.options());
  const lstm_kernels::StepTask<T> task{
      .width = width,
      .products =
          cpu::data<T>(setting.shared_products ? input.products : of_place(steps.gates, place)),
      .back = {windows.positions.const_data_ptr<int64_t>(), windows.streams, shift},
      .nothing = cpu::data<T>(nothing),
      .recurrent = cpu::data<T>(input.recurrent),
      .c_before = cpu::data<S>(cell_before(steps, pass, step)),
      .bias = cpu::data<S>(input.bias),
      .gates = cpu::mutable_data<T>(of_place(steps.gates, place)),
      .c = cpu::mutable_data<S>(of_place(steps.c, place)),
      .h = cpu::mutable_data<T>(of_place(steps.h, place))};
  cpu::over_rows(windows.rows(), 4 * width, [&](int64_t first, int64_t last) {
    loops<T>().step(task, first, last);
  });
}

/// The memory for a direction's steps. If each place has its own products, they are overwritten.
Steps steps_for(const at::Tensor& products, const DirectionPass& pass, bool keep) {
  const int64_t gram = pass.gram(), kept = keep ? gram : 1, rows = pass.windows.rows(),
                width = products.size(1) / 4;
  return {pass.setting.shared_products
              ? at::empty({kept, rows, 4 * width}, products.options())
              : products.view({gram, rows, 4 * width}),  // [gram, rows, 4 · width]
          at::empty({kept, rows, width}, cpu::sum_options(products)),
          at::empty({kept, rows, width}, products.options())};
}

void run_step_backward(const StepGradient& step) {
  if (step.dh.is_cuda())
    return gpu::run_step_backward(step);
  cpu::for_type(step.dh.scalar_type(), [&]<typename T>(T*) {
    using S = Sum<T>;
    const int64_t width = step.c.size(1);
    const lstm_kernels::StepGradientTask<T> task{.width = width,
                                                 .gates = cpu::data<T>(step.gates),
                                                 .c_before = cpu::data<S>(step.c_before),
                                                 .c = cpu::data<S>(step.c),
                                                 .dh = cpu::data<T>(step.dh),
                                                 .dc = cpu::mutable_data<S>(step.dc),
                                                 .d_gates = cpu::mutable_data<T>(step.d_gates)};
    cpu::over_rows(step.dh.size(0), 4 * width, [&](int64_t first, int64_t last) {
      loops<T>().step_backward(task, first, last);
    });
  });
}

at::Tensor sum_of_last_states_on_gpu(const std::array<Steps, 2>& both,
                                     const Windows& windows,
                                     const LstmSetting& setting) {
  std::array<at::Tensor, 2> h, c;
  for (const bool reversed : {false, true}) {
    const int64_t place = DirectionPass{windows, setting, reversed}.last();
    if (setting.add_hidden)
      h.at(reversed) = of_place(both.at(reversed).h, place);
    if (setting.add_cell)
      c.at(reversed) = of_place(both.at(reversed).c, place);
  }
  return gpu::sum_of_last_states(h, c, both[0].h.scalar_type());
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

}  // namespace

at::Tensor gather_places(const at::Tensor& rows,
                         const Windows& windows,
                         const nn::kernels::Dropout& dropout) {
  if (rows.is_cuda())
    return gpu::gather_places(rows, windows, dropout);
  const at::Tensor places =
      at::empty({windows.gram * windows.rows(), rows.size(1)}, rows.options());
  cpu::for_type(rows.scalar_type(), [&]<typename T>(T*) {
    const auto task = window_task<T>(windows, dropout, rows, places);
    cpu::over_rows(windows.rows(), rows.size(1), [&](int64_t first, int64_t last) {
      loops<T>().gather_places(task, first, last);
    });
  });
  return places;
}

at::Tensor sum_places(const at::Tensor& places,
                      const Windows& windows,
                      const nn::kernels::Dropout& dropout) {
  if (places.is_cuda())
    return gpu::sum_places(places, windows, dropout);
  const at::Tensor sums = at::empty({windows.rows(), places.size(1)}, places.options());
  cpu::for_type(places.scalar_type(), [&]<typename T>(T*) {
    const auto task = window_task<T>(windows, dropout, places, sums);
    cpu::over_rows(windows.rows(), places.size(1), [&](int64_t first, int64_t last) {
      loops<T>().sum_places(task, first, last);
    });
  });
  return sums;
}

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
    const StepInput input{products, recurrent, bias};
    if (products.is_cuda()) {
      run_step_on_gpu(steps, input, pass, step);
      continue;
    }
    cpu::for_type(products.scalar_type(),
                  [&]<typename T>(T*) { run_step<T>(steps, input, pass, step); });
  }
  return steps;
}

at::Tensor sum_of_last_states(const std::array<Steps, 2>& both,
                              const Windows& windows,
                              const LstmSetting& setting) {
  const at::Tensor& h = both[0].h;
  if (h.is_cuda())
    return sum_of_last_states_on_gpu(both, windows, setting);
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

at::Tensor run_backward(const Steps& steps,
                        const at::Tensor& weight_hh,
                        const DirectionPass& pass,
                        const at::Tensor& d_last) {
  const LstmSetting& setting = pass.setting;
  const at::Tensor d_gates = at::empty(steps.gates.sizes(), steps.gates.options());
  at::Tensor dh = setting.add_hidden ? d_last : at::zeros_like(d_last);
  const at::Tensor dc = setting.add_cell ? d_last.to(steps.c.scalar_type(), false, /*copy=*/true)
                                         : at::zeros(d_last.sizes(), steps.c.options());
  for (int64_t step = pass.gram() - 1; step >= 0; --step) {
    const int64_t place = pass.place(step);
    run_step_backward({of_place(steps.gates, place),
                       cell_before(steps, pass, step),
                       of_place(steps.c, place),
                       dh,
                       dc,
                       d_gates[place]});
    if (step > 0)
      dh = nn::matrix_product(d_gates[place], weight_hh);  // [rows, width]
  }
  return d_gates;
}

}  // namespace phraseq::phrase_transformer

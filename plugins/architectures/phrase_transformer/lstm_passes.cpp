#include "plugins/architectures/phrase_transformer/lstm_passes.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/functional/matrix_product.h"
#include "plugins/architectures/phrase_transformer/lstm_kernels.h"

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

/// The terms that one step adds.
struct StepInput {
  const at::Tensor& products;   ///< products of the inputs
  const at::Tensor& recurrent;  ///< products of the previous state; undefined at the first step
  const at::Tensor& bias;
};

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
      .c_before = step == 0 ? nullptr : cpu::data<S>(of_place(steps.c, pass.place(step - 1))),
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
    cpu::for_type(products.scalar_type(), [&]<typename T>(T*) {
      run_step<T>(steps, {products, recurrent, bias}, pass, step);
    });
  }
  return steps;
}

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

}  // namespace phraseq::phrase_transformer

#include "plugins/architectures/phrase_transformer/lstm_on_gpu.h"

#include <ATen/ops/empty.h>

#include "core/cuda/kernel_sources.h"
#include "core/nn/functional/device/gpu_kernels.h"

namespace phraseq::phrase_transformer::gpu {
namespace {

using nn::gpu::Arguments;

/// The struct LstmShape of lstm.cu.
struct LstmShape {
  long long rows = 0;
  int width = 0, streams = 1, gram = 1, shift = 0;
  nn::gpu::Mask mask;

  LstmShape(int64_t row_count, int64_t columns)
      : rows(row_count), width(static_cast<int>(columns)) {}
  LstmShape(const Windows& windows, int64_t columns) : LstmShape(windows.rows(), columns) {
    streams = static_cast<int>(windows.streams);
    gram = static_cast<int>(windows.gram);
  }
  void use(const nn::kernels::Dropout& dropout) {
    mask = {dropout.key, dropout.threshold, static_cast<float>(dropout.scale)};
  }
};

/// Launches a thread for each pack of columns of a row; x is any of the matrices of activations.
void launch(const at::Tensor& x,
            const char* function,
            Arguments& arguments,
            LstmShape& shape,
            int64_t places = 1) {
  constexpr int64_t kThreads = 256;
  arguments.add_value(shape);
  if (shape.rows == 0)
    return;
  nn::gpu::launch(
      x,
      cuda::lstm_kernel(nn::gpu::element_of(x.scalar_type())),
      function,
      {.blocks = nn::gpu::blocks_for(shape.rows * shape.width / nn::gpu::pack_of(x), kThreads),
       .blocks_y = static_cast<uint32_t>(places),
       .threads = kThreads},
      arguments);
}

}  // namespace

bool has_lstm_kernels(const at::Tensor& rows) {
  constexpr int64_t kColumnMultiple = 8;
  return nn::gpu::has_kernels(rows) && rows.size(1) % kColumnMultiple == 0;
}

void run_step(const Step& step, const Windows& windows) {
  LstmShape shape(windows, step.h.size(1));
  shape.shift = static_cast<int>(step.shift);
  Arguments arguments;
  arguments.add(step.products).add(windows.positions).add(step.recurrent).add(step.bias);
  arguments.add(step.c_before).add(step.gates).add(step.c).add(step.h);
  launch(step.h, "lstm_step", arguments, shape);
}

void run_step_backward(const StepGradient& step) {
  LstmShape shape(step.dh.size(0), step.dh.size(1));
  Arguments arguments;
  arguments.add(step.gates).add(step.c_before).add(step.c).add(step.dh).add(step.dc);
  arguments.add(step.d_gates);
  launch(step.dh, "lstm_step_backward", arguments, shape);
}

at::Tensor sum_of_last_states(const std::array<at::Tensor, 2>& h,
                              const std::array<at::Tensor, 2>& c,
                              at::ScalarType type) {
  const at::Tensor& like = h[0].defined() ? h[0] : c[0];
  const at::Tensor sum = at::empty(like.sizes(), like.options().dtype(type));  // [rows, width]
  LstmShape shape(sum.size(0), sum.size(1));
  Arguments arguments;
  arguments.add(h[0]).add(h[1]).add(c[0]).add(c[1]).add(sum);
  launch(sum, "lstm_last_states", arguments, shape);
  return sum;
}

at::Tensor gather_places(const at::Tensor& rows,
                         const Windows& windows,
                         const nn::kernels::Dropout& dropout) {
  const at::Tensor places =
      at::empty({windows.gram * windows.rows(), rows.size(1)}, rows.options());
  LstmShape shape(windows, rows.size(1));
  shape.use(dropout);
  Arguments arguments;
  arguments.add(rows).add(windows.positions).add(places);
  launch(rows, "lstm_gather_places", arguments, shape, windows.gram);
  return places;
}

at::Tensor sum_places(const at::Tensor& places,
                      const Windows& windows,
                      const nn::kernels::Dropout& dropout) {
  const at::Tensor sums = at::empty({windows.rows(), places.size(1)}, places.options());
  LstmShape shape(windows, places.size(1));
  shape.use(dropout);
  Arguments arguments;
  arguments.add(places).add(windows.positions).add(sums);
  launch(places, "lstm_sum_places", arguments, shape);
  return sums;
}

}  // namespace phraseq::phrase_transformer::gpu

#include "core/nn/functional/linear/epilogue.h"

#include <algorithm>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

namespace phraseq::nn {

void run_epilogue(const at::Tensor& x,
                  const at::Tensor& bias,
                  const at::Tensor& y,
                  Activation activation,
                  const kernels::Dropout& dropout) {
  const int64_t columns = x.size(1);
  const at::Tensor full_bias = bias.defined() ? bias : at::zeros({columns}, cpu::sum_options(x));
  cpu::for_type(x.scalar_type(), [&]<typename T>(T*) {
    cpu::over_rows(x, [&](int64_t first, int64_t last) {
      cpu::loops<T>().bias_activation_dropout(cpu::data<T>(x),
                                              cpu::data<kernels::Sum<T>>(full_bias),
                                              cpu::mutable_data<T>(y),
                                              {first, last, columns},
                                              activation,
                                              dropout);
    });
  });
}

at::Tensor undo_epilogue(const at::Tensor& dy,
                         const at::Tensor& kept,
                         const Epilogue& epilogue,
                         const at::Tensor& d_bias) {
  const int64_t columns = dy.size(1);
  const bool pass = !epilogue.is_identity();
  if (!pass && !d_bias.defined())
    return dy;
  const at::Tensor dz = pass ? at::empty(dy.sizes(), dy.options()) : dy;
  cpu::for_type(dy.scalar_type(), [&]<typename T>(T*) {
    using S = kernels::Sum<T>;
    const cpu::ThreadScratch<S> unused(columns);
    S* sums = d_bias.defined() ? cpu::mutable_data<S>(d_bias) : unused.get();
    if (!d_bias.defined())
      std::fill_n(sums, columns, S{0});
    cpu::sum_over_rows(dy.size(0), columns, sums, [&](int64_t first, int64_t last, S* partial) {
      const kernels::RowRange rows{first, last, columns};
      if (pass) {
        cpu::loops<T>().bias_activation_dropout_backward(cpu::data<T>(dy),
                                                         cpu::data<T>(kept.defined() ? kept : dy),
                                                         cpu::mutable_data<T>(dz),
                                                         partial,
                                                         rows,
                                                         epilogue.activation,
                                                         epilogue.dropout());
      } else {
        cpu::loops<T>().column_sums(cpu::data<T>(dy), partial, rows);
      }
    });
  });
  return dz;
}

}  // namespace phraseq::nn

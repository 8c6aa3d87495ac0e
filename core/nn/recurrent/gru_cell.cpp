#include "core/nn/recurrent/gru_cell.h"

#include <vector>

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>

#include "core/nn/recurrent/recurrent_product.h"

namespace phraseq::nn {

at::Tensor gru_update(const at::Tensor& input, const at::Tensor& hidden, const at::Tensor& state) {
  const int64_t width = state.size(1);
  const at::Tensor gates =  // [rows, 2 · hidden]
      at::sigmoid(input.narrow(1, 0, 2 * width) + hidden.narrow(1, 0, 2 * width));
  const at::Tensor candidate =  // [rows, hidden]
      at::tanh(input.narrow(1, 2 * width, width) +
               gates.narrow(1, 0, width) * hidden.narrow(1, 2 * width, width));
  return at::lerp(candidate, state, gates.narrow(1, width, width));  // [rows, hidden]
}

GruCell::GruCell(int64_t input, int64_t hidden) {
  weight_ih = register_parameter("weight_ih", at::empty({3 * hidden, input}));
  bias_ih = register_parameter("bias_ih", at::empty({3 * hidden}));
  weight_hh = register_parameter("weight_hh", at::empty({3 * hidden, hidden}));
}

at::Tensor GruCell::input_products(const at::Tensor& x, Context& context) const {
  return recurrent_product(x, weight_ih, bias_ih, context);
}

at::Tensor GruCell::hidden_products(const at::Tensor& state, Context& context) const {
  return recurrent_product(state, weight_hh, {}, context);
}

at::Tensor GruCell::over(const at::Tensor& x, const TimeMajor& walk, Context& context) const {
  const at::Tensor inputs = input_products(walk.walk(x), context);  // [tokens, 3 · hidden]
  at::Tensor state =
      at::zeros({walk.counts.front(), weight_hh.size(1)}, inputs.options());  // [rows, hidden]
  std::vector<at::Tensor> states;
  for (const at::Tensor& input : walk.steps(inputs)) {  // [rows, 3 · hidden]
    state = state.narrow(0, 0, input.size(0));          // [rows, hidden]
    state = gru_update(input,
                       hidden_products(state, context),  // [rows, 3 · hidden]
                       state);
    states.push_back(state);
  }
  return walk.pack(at::cat(states));  // [tokens, hidden]
}

void GruCell::initialize(RecurrentInitializer& initializer) {
  initializer.matrix(weight_ih);
  initializer.constant(bias_ih, 0.0);
  initializer.orthogonal(weight_hh);
}

double GruCell::multiply_adds(double rows) const {
  return rows * static_cast<double>(weight_ih.numel() + weight_hh.numel());
}

}  // namespace phraseq::nn

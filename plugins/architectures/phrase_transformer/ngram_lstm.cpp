#include "plugins/architectures/phrase_transformer/ngram_lstm.h"

#include <cmath>

#include <ATen/ops/empty.h>

#include "core/nn/functional.h"
#include "plugins/architectures/phrase_transformer/windowed_lstm.h"

namespace phraseq {

NgramLstm::NgramLstm(const NgramLstmOptions& options) : options_(options) {
  const int64_t width = options.width;
  const auto add = [&](const char* name, const char* suffix, at::IntArrayRef sizes) {
    return register_parameter(std::string(name) + "_l0" + suffix, at::empty(sizes));
  };
  // Both directions' matrices of one kind lie side by side in the flat buffer: one product for
  // both.
  forward_.weight_ih = add("weight_ih", "", {4 * width, width});
  backward_.weight_ih = add("weight_ih", "_reverse", {4 * width, width});
  forward_.weight_hh = add("weight_hh", "", {4 * width, width});
  backward_.weight_hh = add("weight_hh", "_reverse", {4 * width, width});
  forward_.bias_ih = add("bias_ih", "", {4 * width});
  forward_.bias_hh = add("bias_hh", "", {4 * width});
  backward_.bias_ih = add("bias_ih", "_reverse", {4 * width});
  backward_.bias_hh = add("bias_hh", "_reverse", {4 * width});
}

at::Tensor NgramLstm::forward(const at::Tensor& rows,
                              const PackedTokens& tokens,
                              nn::Context& context) const {
  const Windows windows{tokens.positions, options_.gram, rows.size(0) / tokens.tokens()};
  const bool apart = options_.window_dropout && options_.dropout > 0.0 && context.training();
  const at::Tensor input = apart ? gather_windows(rows, windows, options_.dropout, context)
                                 : nn::dropout(rows, options_.dropout, context);
  const at::Tensor products =
      nn::stacked_linear(input, {forward_.weight_ih, backward_.weight_ih}, {}, context);
  return windowed_lstm(products,
                       {{forward_.weight_hh, backward_.weight_hh},
                        {forward_.bias_ih, backward_.bias_ih},
                        {forward_.bias_hh, backward_.bias_hh}},
                       windows,
                       {options_.add_hidden, options_.add_cell, /*shared_products=*/!apart},
                       context);
}

void NgramLstm::initialise(nn::Initialiser& initialiser) {
  const auto width = static_cast<double>(options_.width);
  for (Direction* direction : {&forward_, &backward_}) {
    for (at::Tensor* weight : {&direction->weight_ih, &direction->weight_hh})
      initialiser.uniform(*weight, std::sqrt(6.0 / (5.0 * width)));
    for (at::Tensor* bias : {&direction->bias_ih, &direction->bias_hh})
      initialiser.uniform(*bias, 1.0 / std::sqrt(width));
  }
}

double NgramLstm::multiply_adds(double rows) const {
  const auto gram = static_cast<double>(options_.gram), width = static_cast<double>(options_.width);
  const bool apart = options_.window_dropout && options_.dropout > 0.0;
  const double products = (apart ? gram : 1.0) + gram - 1.0;  // of inputs, and of states
  return rows * products * 8.0 * width * width;
}

}  // namespace phraseq

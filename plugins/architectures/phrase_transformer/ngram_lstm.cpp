#include "plugins/architectures/phrase_transformer/ngram_lstm.h"

#include <cmath>

#include <ATen/ops/empty.h>

#include "core/nn/functional/normalization.h"

namespace phraseq::phrase_transformer {

NgramLstm::NgramLstm(const NgramLstmOptions& options) : options_(options) {
  const int64_t width = options.width;
  const auto add = [&](const char* name, const char* suffix, at::IntArrayRef sizes) {
    return register_parameter(std::string(name) + "_l0" + suffix, at::empty(sizes));
  };
  for (const auto& [direction, suffix] : {std::pair(&forward_, ""), {&backward_, "_reverse"}}) {
    direction->weight_ih = add("weight_ih", suffix, {4 * width, width});
    direction->weight_hh = add("weight_hh", suffix, {4 * width, width});
    direction->bias_ih = add("bias_ih", suffix, {4 * width});
    direction->bias_hh = add("bias_hh", suffix, {4 * width});
  }
}

at::Tensor NgramLstm::forward(const at::Tensor& rows,
                              const PackedTokens& tokens,
                              nn::Context& context) const {
  const Windows windows{tokens.positions, options_.gram, rows.size(0) / tokens.tokens()};
  const bool apart = options_.window_dropout && options_.dropout > 0.0 && context.training();
  const at::Tensor input =  // [gram · rows, width] if apart, otherwise [rows, width]
      apart ? gather_windows(rows, windows, options_.dropout, context)
            : nn::dropout(rows, options_.dropout, context);
  const LstmSetting setting{options_.add_hidden, options_.add_cell, /*shared_products=*/!apart};
  return windowed_lstm(input, forward_, backward_, windows, setting, context);  // [rows, width]
}

void NgramLstm::initialize(nn::Initializer& initializer) {
  const auto width = static_cast<double>(options_.width);
  for (LstmParameters* direction : {&forward_, &backward_}) {
    for (at::Tensor* weight : {&direction->weight_ih, &direction->weight_hh})
      initializer.uniform(*weight, std::sqrt(6.0 / (5.0 * width)));
    for (at::Tensor* bias : {&direction->bias_ih, &direction->bias_hh})
      initializer.uniform(*bias, 1.0 / std::sqrt(width));
  }
}

double NgramLstm::multiply_adds(double rows) const {
  const auto gram = static_cast<double>(options_.gram), width = static_cast<double>(options_.width);
  const bool apart = options_.window_dropout && options_.dropout > 0.0;
  const double products = (apart ? gram : 1.0) + gram - 1.0;  // of inputs, and of states
  return rows * products * 8.0 * width * width;
}

}  // namespace phraseq::phrase_transformer

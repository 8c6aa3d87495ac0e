#include "plugins/architectures/phrase_transformer/windowed_lstm_reference.h"

#include <vector>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>

#include "core/nn/functional/reference/functional_reference.h"

namespace phraseq::phrase_transformer::reference {
namespace {

/// The index, among the rows, of place `place` of every row's window, [rows] int64; the number of
/// rows = a zero row.
at::Tensor rows_of_place(const Windows& windows, int64_t place) {
  const int64_t shift = windows.gram - 1 - place;
  const at::Tensor token =
      at::arange(windows.positions.size(0), windows.positions.options());              // [tokens]
  const at::Tensor stream = at::arange(windows.streams, windows.positions.options());  // [streams]
  const at::Tensor row =
      (token - shift).unsqueeze(1) * windows.streams + stream;  // [tokens, streams]
  return row.masked_fill(windows.positions.lt(shift).unsqueeze(1), windows.rows())
      .flatten();  // [tokens · streams]
}

/// Gathers the rows at a place of the windows, [rows, columns]; zeros if there is no such row.
at::Tensor at_place(const at::Tensor& rows, const Windows& windows, int64_t place) {
  const at::Tensor with_zeros =
      at::cat({rows, at::zeros({1, rows.size(1)}, rows.options())});  // [rows + 1, columns]
  return with_zeros.index_select(0, rows_of_place(windows, place));   // [rows, columns]
}

}  // namespace

at::Tensor gather_windows(const at::Tensor& rows,
                          const Windows& windows,
                          double dropout,
                          uint64_t key) {
  std::vector<at::Tensor> places;
  for (int64_t place = 0; place < windows.gram; ++place)
    places.push_back(at_place(rows, windows, place));
  return nn::reference::dropout(at::cat(places), dropout, key);  // [gram · rows, width]
}

at::Tensor windowed_lstm(const at::Tensor& products,
                         const LstmParameters& parameters,
                         const Windows& windows,
                         const LstmSetting& setting,
                         bool reversed) {
  const auto type = products.scalar_type();
  const at::Tensor weight = parameters.weight_hh.to(type);
  const at::Tensor bias = parameters.bias_ih + parameters.bias_hh;
  at::Tensor h, c;  // [rows, width]
  for (int64_t step = 0; step < windows.gram; ++step) {
    const int64_t place = reversed ? windows.gram - 1 - step : step;
    const at::Tensor input = setting.shared_products  // [rows, 4 · width]
                                 ? at_place(products, windows, place)
                                 : products.narrow(0, place * windows.rows(), windows.rows());
    at::Tensor gates = input.to(bias.scalar_type()) + bias;
    if (step > 0)
      gates = gates + at::mm(h.to(type), weight.t());  // [rows, 4 · width]
    const auto parts = gates.chunk(4, 1);              // i, f, g, o: [rows, width] each
    const at::Tensor fresh = at::sigmoid(parts[0]) * at::tanh(parts[2]);
    c = step == 0 ? fresh : at::sigmoid(parts[1]) * c + fresh;
    h = at::sigmoid(parts[3]) * at::tanh(c);
  }
  const at::Tensor both = setting.add_hidden ? (setting.add_cell ? h + c : h) : c;
  return both.to(type);
}

}  // namespace phraseq::phrase_transformer::reference

#pragma once

#include "plugins/architectures/phrase_transformer/windowed_lstm.h"

/// The functions of windowed_lstm.h, with the same shapes, by means of ATen's differentiable
/// operators: they run on devices without phraseq's kernels, and tests compare the kernels with
/// them. Dropout takes its key instead of a context, and draws the same masks as the kernels.
namespace phraseq::phrase_transformer::reference {

at::Tensor gather_windows(const at::Tensor& rows,
                          const Windows& windows,
                          double dropout,
                          uint64_t key);

/// One direction, from the products of its inputs (x W_ihᵀ, no bias): of each row, or of each place
/// of the windows. Parameters are cast to the products' type, differentiably.
at::Tensor windowed_lstm(const at::Tensor& products,
                         const LstmParameters& parameters,
                         const Windows& windows,
                         const LstmSetting& setting,
                         bool reversed);

}  // namespace phraseq::phrase_transformer::reference

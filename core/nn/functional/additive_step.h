#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/parameters/shared_gradient.h"

/// One step of additive attention (Bahdanau et al. 2015) for the rows of a recurrent decoder. A
/// shared input may have more rows than a step, which reads the first ones.
namespace phraseq::nn {

/// Additional features of the tokens for each row, for example how far each token has been
/// translated.
struct TokenFeatures {
  at::Tensor x;       ///< [rows, time, features]; undefined = none
  at::Tensor weight;  ///< [width, features]
};

/// The inputs of the energy of token j in row r.
struct AdditiveInput {
  const SharedInput& keys;              ///< [rows or more, time, width]
  at::Tensor query;                     ///< [rows, width]
  std::vector<TokenFeatures> features;  ///< of several kinds
  at::Tensor v;                         ///< [width]
};

/// energy_rj = v · tanh(keys_rj + query_r + Σ_kinds weight x_rj), [rows, time]; -1e30 where `mask`
/// [rows, time] is false. fp32 or fp64.
PHRASEQ_API at::Tensor additive_energies(const AdditiveInput& input, const at::Tensor& mask);

/// Σ_j weights_rj · x_rj: weights [rows, time], x [rows or more, time, width] → [rows, width].
PHRASEQ_API at::Tensor attended_sum(const at::Tensor& weights, const SharedInput& x);

}  // namespace phraseq::nn

#pragma once

#include <memory>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/linear_map.h"
#include "core/nn/parameters/shared_gradient.h"
#include "core/nn/recurrent/recurrent_initializer.h"
#include "core/nn/recurrent/recurrent_options.h"

namespace phraseq::nn {

/// Attention of a recurrent decoder (Bahdanau et al. 2015, with the last embedding and coverage):
///
///     e_j = v · tanh(U h_j + b + U_tag tag_j + W s + W_e e + U_c C_j) + c,  α = softmax over j
///
/// Parameters `source` [2 · hidden, 2 · hidden] with bias, `tags` [2 · hidden, slots], `state`
/// [2 · hidden, hidden], `embedding` [2 · hidden, embed] (not with two cells, which have seen it),
/// `coverage` [2 · hidden, coverage], `energy` [1, 2 · hidden] with bias.
class PHRASEQ_API AdditiveAttention : public torch::nn::Module {
 public:
  /// `slots`: the number of kinds of tags, 0 = none.
  AdditiveAttention(const RecurrentOptions& options, int64_t slots);

  /// The part that depends only on the states, [batch, src_time, 2 · hidden] → [batch, src_time,
  /// 2 · hidden]: computed once per sentence.
  at::Tensor keys(const at::Tensor& states, Context& context) const;
  /// The part that depends only on the embeddings, [rows, embed] → [rows, 2 · hidden]: computed for
  /// all steps at once; undefined with two cells.
  at::Tensor embedding_query(const at::Tensor& embeddings, Context& context) const;

  /// The query of a step; undefined parts contribute nothing.
  struct Query {
    at::Tensor state;      ///< [rows, hidden]
    at::Tensor embedding;  ///< [rows, 2 · hidden], from embedding_query
    at::Tensor coverage;   ///< [rows, src_time, coverage]
    at::Tensor tags;       ///< [rows, src_time, slots], one-hot or zeros
  };
  /// Weights [rows, src_time]: 0 where `mask` [rows, src_time] is false. `keys` may have more rows.
  at::Tensor weights(const SharedInput& keys,
                     const at::Tensor& mask,
                     const Query& query,
                     Context& context) const;

  void initialize(RecurrentInitializer& initializer);
  /// The multiply-adds of the matrix products for this many tokens and steps, without the energies.
  double multiply_adds(double source_tokens, double steps) const;

 private:
  std::shared_ptr<LinearMap> source_, tags_, state_, embedding_, coverage_, energy_;
};

}  // namespace phraseq::nn

#pragma once

#include <memory>

#include <torch/nn/module.h>

#include "core/nn/initializer.h"
#include "plugins/architectures/phrasal_attention/phrase_plan.h"

namespace phraseq::phrasal {

/// A kernel [taps, in, out] stored as one matrix, so that all its products are computed at once.
///
/// `weight` is [taps · out, in], one tap after the other: each row of products contains the
/// products of all taps, and a convolution sums them over a window of rows. If the inputs of a
/// window are adjacent instead, it is [out, taps · in].
class KernelMap : public torch::nn::Module {
 public:
  /// Taps along the rows, as in the plan.
  KernelMap(const MapPlan& plan, int64_t in);
  /// Taps along the columns, an output map.
  KernelMap(int64_t out, int64_t in, int64_t taps, bool has_bias);

  void initialize(nn::Initializer& initializer);
  /// A bias for all products, [taps · out]: a window takes it from its own row, the last tap's.
  at::Tensor product_bias() const;

  at::Tensor weight;
  at::Tensor bias;  ///< [out] or undefined

 private:
  nn::Fan fan_;
  nn::MapRole role_;
};

/// The maps of one module under their names, registered with it in the plan's order.
class PhraseMaps {
 public:
  PhraseMaps(torch::nn::Module& owner, const PhrasePlan& plan, const PhraseOptions& options);

  /// Products with all maps, for attention of rows to each other: x [tokens, model] → [tokens,
  /// columns of keys, values, queries].
  at::Tensor all(const at::Tensor& x, nn::Context& context) const;
  /// memory [key tokens, key model] → [key tokens, key_value_columns()].
  at::Tensor keys_values(const at::Tensor& memory, nn::Context& context) const;
  /// x [query tokens, model] → [query tokens, query_columns()].
  at::Tensor queries(const at::Tensor& x, nn::Context& context) const;

  void initialize(nn::Initializer& initializer);
  /// The numbers of columns of the products.
  int64_t key_value_columns() const { return columns_of(keys_values_); }
  int64_t query_columns() const { return columns_of(queries_); }

 private:
  using Maps = std::vector<std::shared_ptr<KernelMap>>;
  static int64_t columns_of(const Maps& maps);

  Maps keys_values_, queries_, all_;
};

/// The output map after attention: W_o, or the convolution of interleaved attention over (c_i,
/// u_i[, c_{i+1}]).
class PhraseOutput {
 public:
  PhraseOutput(torch::nn::Module& owner, const PhraseOptions& options);

  /// Results of attention in the plan's layout → [tokens, model].
  at::Tensor forward(const at::Tensor& rows, nn::Context& context) const;
  void initialize(nn::Initializer& initializer);
  double multiply_adds(double tokens) const;

 private:
  /// rows [tokens, 2 · model] (phrases, words) → [tokens, model].
  at::Tensor interleave_after_o(const at::Tensor& rows, nn::Context& context) const;

  bool sees_next_phrase_;
  std::shared_ptr<KernelMap> out_, phrase_out_, interleave_;
};

}  // namespace phraseq::phrasal

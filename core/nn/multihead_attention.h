#pragma once

#include <memory>
#include <vector>

#include "core/data/batch.h"
#include "core/nn/functional.h"
#include "core/nn/incremental.h"
#include "core/nn/linear_map.h"

namespace phraseq::nn {

struct MultiheadAttentionOptions {
  int64_t model = 0;      ///< width of the queries and of the result
  int64_t key_model = 0;  ///< width of what keys and values are made from
  int64_t heads = 1;
  double dropout = 0.0;
  bool bias = true;
};

/// Multi-head attention (Vaswani et al. 2017, sec. 3.2.2) with fairseq's parameters `k_proj`,
/// `v_proj`, `q_proj`, `out_proj`. Head h is channels h·head_dim to (h+1)·head_dim - 1. k, v, q
/// stand side by side, so that their maps are one product.
class PHRASEQ_API MultiheadAttention : public torch::nn::Module {
 public:
  explicit MultiheadAttention(const MultiheadAttentionOptions& options);

  /// Rows of a sentence attend to each other; [tokens, model] → [tokens, model].
  at::Tensor attend_self(const at::Tensor& x,
                         const PackedTokens& tokens,
                         bool causal,
                         Context& context) const;
  /// Queries attend to another stack's rows. `weights`: see nn::cross_attention.
  at::Tensor attend_cross(const at::Tensor& x,
                          const PackedTokens& queries,
                          const at::Tensor& memory,
                          const PackedTokens& keys,
                          Context& context,
                          at::Tensor* weights = nullptr) const;

  /// One decoding step of the causal self-attention; x [rows, model].
  at::Tensor step_self(const at::Tensor& x,
                       SelfAttentionCache& cache,
                       const Ancestry& ancestry,
                       Context& context) const;
  /// Keys and values of a source, [source tokens, 2 · model]: made once a batch for `step_cross`.
  at::Tensor project_memory(const at::Tensor& memory, Context& context) const;
  at::Tensor step_cross(const at::Tensor& x,
                        const at::Tensor& memory_kv,
                        const std::vector<int64_t>& offsets,
                        const std::vector<int64_t>& sentence_of_row,
                        Context& context,
                        at::Tensor* weights = nullptr) const;

  void initialise(Initialiser& initialiser);
  const MultiheadAttentionOptions& options() const { return options_; }
  double scale() const;

  std::shared_ptr<LinearMap> k_proj, v_proj, q_proj, out_proj;

 private:
  at::Tensor project_kvq(const at::Tensor& x, Context& context) const;
  AttentionOptions attention_options(bool causal) const;

  MultiheadAttentionOptions options_;
};

}  // namespace phraseq::nn

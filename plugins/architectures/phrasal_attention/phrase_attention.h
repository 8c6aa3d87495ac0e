#pragma once

#include <memory>

#include "core/nn/transformer/attention_module.h"
#include "plugins/architectures/phrasal_attention/decoding.h"
#include "plugins/architectures/phrasal_attention/kernel_map.h"
#include "plugins/architectures/phrasal_attention/phrase_plan.h"

namespace phraseq::phrasal {

/// Phrasal attention of a sentence's tokens to each other (Nguyen & Joty 2018, sec. 3).
///
/// If a pass is recorded, it adds "weights" [query kinds, heads, tokens, key kinds, longest
/// sentence] (see nn::grouped_attention): kind of query 0 = words, 1 = bigrams ending at the token;
/// kinds of keys = n-grams by ascending n, numbered by their last token.
class PhraseSelfAttention : public nn::SelfAttention {
 public:
  explicit PhraseSelfAttention(const PhraseOptions& options);

  at::Tensor forward(const at::Tensor& x,
                     const PackedTokens& tokens,
                     bool causal,
                     nn::Context& context) const override;
  std::unique_ptr<nn::AttentionState> start() const override;
  at::Tensor step(const at::Tensor& x,
                  nn::AttentionState& state,
                  const nn::DecodingRows& rows,
                  nn::Context& context) const override;
  void initialize(nn::Initializer& initializer) override;
  double multiply_adds(double tokens) const override;

 private:
  PhraseOptions options_;
  PhrasePlan plan_;
  SummedLayout summed_;
  PhraseMaps maps_;
  PhraseOutput output_;
};

/// Phrasal attention to the source; records like PhraseSelfAttention.
class PhraseCrossAttention : public nn::CrossAttention {
 public:
  explicit PhraseCrossAttention(const PhraseOptions& options);

  /// `weights`: see align_to_tokens.
  at::Tensor forward(const at::Tensor& x,
                     const PackedTokens& queries,
                     const at::Tensor& memory,
                     const PackedTokens& keys,
                     nn::Context& context,
                     at::Tensor* weights = nullptr) const override;
  std::unique_ptr<nn::AttentionState> start(const at::Tensor& memory,
                                            const PackedTokens& keys,
                                            nn::Context& context) const override;
  at::Tensor step(const at::Tensor& x,
                  nn::AttentionState& state,
                  const nn::DecodingRows& rows,
                  nn::Context& context,
                  at::Tensor* weights = nullptr) const override;
  void initialize(nn::Initializer& initializer) override;
  double multiply_adds(double queries, double keys) const override;

 private:
  PhraseOptions options_;
  PhrasePlan plan_;
  SummedLayout summed_;
  PhraseMaps maps_;
  PhraseOutput output_;
};

}  // namespace phraseq::phrasal

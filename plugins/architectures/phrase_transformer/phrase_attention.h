#pragma once

#include <memory>
#include <vector>

#include "core/nn/functional/grouped_attention.h"
#include "core/nn/transformer/attention_module.h"
#include "core/nn/transformer/multihead_attention.h"
#include "plugins/architectures/phrase_transformer/ngram_lstm.h"
#include "plugins/architectures/phrase_transformer/options.h"

namespace phraseq::phrase_transformer {

/// Self-attention of an encoder layer whose heads see n-grams: multi-head attention's maps, and
/// n-gram LSTMs over their results.
class PhraseAttention : public nn::SelfAttention {
 public:
  void initialize(nn::Initializer& initializer) override;

 protected:
  /// Makes LSTMs of `width` inputs, registered as `ngram.M` for each gram size M.
  PhraseAttention(const PhraseTransformerOptions& options, int64_t width);

  int64_t head_dim() const { return maps_.options.model / maps_.options.heads; }
  /// 1/sqrt(head_dim) if it multiplies the inputs of the LSTMs (`--pt-scale word`), otherwise 1.
  double query_factor() const { return scale_scores_ ? 1.0 : maps_.scale(); }
  double score_factor() const { return scale_scores_ ? maps_.scale() : 1.0; }

  nn::AttentionMaps maps_;
  std::vector<std::shared_ptr<NgramLstm>> lstms_;  ///< by ascending gram size

 private:
  bool scale_scores_;
};

/// One LSTM per gram size, shared by all heads; for head h, it reads s = [q_h ; k_h] (CrossH;
/// Nguyen & Nguyen 2022, eqs. 2-7). Queries become [q ; ph^q_m1 ; ph^q_m2 …], and keys likewise;
/// values remain those of words.
class SharedPhraseAttention final : public PhraseAttention {
 public:
  explicit SharedPhraseAttention(const PhraseTransformerOptions& options);
  at::Tensor forward(const at::Tensor& x,
                     const PackedTokens& tokens,
                     bool causal,
                     nn::Context& context) const override;
  double multiply_adds(double tokens) const override;

 private:
  /// Columns q, k, ph^q_m1, ph^k_m1 … and v of all heads, one model width each.
  nn::AttentionLayout layout() const;

  bool keep_raw_;
};

/// One gram size per head, and one LSTM for all heads of a size; queries, keys and values of such a
/// head are each replaced by their n-grams (SepH, the authors' earlier code). Size 0 is a plain
/// head.
class PerHeadPhraseAttention final : public PhraseAttention {
 public:
  explicit PerHeadPhraseAttention(const PhraseTransformerOptions& options);
  at::Tensor forward(const at::Tensor& x,
                     const PackedTokens& tokens,
                     bool causal,
                     nn::Context& context) const override;
  double multiply_adds(double tokens) const override;

 private:
  /// Replaces the words of an LSTM's heads by their n-grams. of_head: [tokens, 3, head_dim] each.
  void replace_by_phrases(std::vector<at::Tensor>& of_head,
                          const NgramLstm& lstm,
                          const PackedTokens& tokens,
                          nn::Context& context) const;

  std::vector<int64_t> sizes_;  ///< the gram size of each head
};

}  // namespace phraseq::phrase_transformer

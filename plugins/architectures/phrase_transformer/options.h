#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/nn/transformer/transformer_options.h"

namespace phraseq {

/// A Transformer whose encoder's self-attention sees n-grams (Nguyen & Nguyen 2022). Defaults are
/// the authors' code and published sizes, gram sizes {3}.
struct PhraseTransformerOptions : nn::TransformerOptions {
  PhraseTransformerOptions();

  std::vector<int64_t> pt_grams = {3};
  std::string pt_mode = "cross";
  std::string pt_layers = "all";
  bool pt_raw = true;
  std::string pt_scale = "word";
  std::string pt_state = "h+c";
  std::string pt_head_order = "position";
  double pt_dropout = 0.3;
  std::string pt_dropout_scope = "window";

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;

  bool per_head() const { return pt_mode == "sep"; }
  /// Whether a layer of the encoder, counted from 0, is a phrase layer: the first p, or the last
  /// |p| for a negative `pt_layers`.
  bool phrased(int64_t layer) const;
  /// The distinct positive gram sizes, ascending: one LSTM each.
  std::vector<int64_t> gram_sizes() const;
  /// Whether the words' own queries and keys are next to the phrases' (cross).
  bool keeps_raw() const;
  /// The gram size of each head, 0 = plain (sep).
  std::vector<int64_t> sizes_of_heads() const;
};

}  // namespace phraseq

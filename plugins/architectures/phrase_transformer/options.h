#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/nn/transformer/transformer_options.h"

namespace phraseq::phrase_transformer {

/// One LSTM per n-gram size for all heads, or one n-gram size per head.
enum class GramMode { kCross, kSeparate };
/// The numbers that are scaled by 1/√head_dim: the queries of words, before the LSTM reads them, or
/// all scores.
enum class GramScale { kWord, kAll };
/// The LSTM's states that represent an n-gram.
enum class GramState { kSum, kHidden, kCell };
/// How --pt-grams are assigned to heads, if each has its own: as listed, or in ascending order.
enum class GramHeadOrder { kPosition, kAscending };
/// The unit that gets a separate dropout mask.
enum class GramDropoutScope { kWindow, kPosition };

inline constexpr EnumName<GramMode> kGramModeNames[] = {{"cross", GramMode::kCross},
                                                        {"sep", GramMode::kSeparate}};
inline constexpr EnumName<GramScale> kGramScaleNames[] = {{"word", GramScale::kWord},
                                                          {"all", GramScale::kAll}};
inline constexpr EnumName<GramState> kGramStateNames[] = {
    {"h+c", GramState::kSum}, {"h", GramState::kHidden}, {"c", GramState::kCell}};
inline constexpr EnumName<GramHeadOrder> kGramHeadOrderNames[] = {
    {"position", GramHeadOrder::kPosition}, {"ascending", GramHeadOrder::kAscending}};
inline constexpr EnumName<GramDropoutScope> kGramDropoutScopeNames[] = {
    {"window", GramDropoutScope::kWindow}, {"position", GramDropoutScope::kPosition}};

/// A Transformer whose encoder's self-attention sees n-grams (Nguyen & Nguyen 2022). Defaults are
/// the authors' code and published sizes, gram sizes {3}.
struct PhraseTransformerOptions : nn::TransformerOptions {
  PhraseTransformerOptions();

  std::vector<int64_t> pt_grams = {3};
  GramMode pt_mode = GramMode::kCross;
  std::string pt_layers = "all";
  bool pt_raw = true;
  GramScale pt_scale = GramScale::kWord;
  GramState pt_state = GramState::kSum;
  GramHeadOrder pt_head_order = GramHeadOrder::kPosition;
  double pt_dropout = 0.3;
  GramDropoutScope pt_dropout_scope = GramDropoutScope::kWindow;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  std::vector<std::string> without_effect() const override;

  bool per_head() const { return pt_mode == GramMode::kSeparate; }
  /// Whether a layer of the encoder, counted from 0, is a phrase layer: the first p, or the last
  /// |p| for a negative `pt_layers`.
  bool phrased(int64_t layer) const;
  /// False if no layer has phrases: the plain Transformer.
  bool has_phrases() const;
  /// The distinct positive gram sizes, ascending: one LSTM each.
  std::vector<int64_t> gram_sizes() const;
  /// Whether the words' own queries and keys are kept next to those of the phrases (cross).
  bool keeps_raw() const;
  /// The gram size of each head, 0 = plain (sep).
  std::vector<int64_t> sizes_of_heads() const;
};

}  // namespace phraseq::phrase_transformer

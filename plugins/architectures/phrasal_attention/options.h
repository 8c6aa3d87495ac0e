#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/nn/transformer/transformer_options.h"
#include "plugins/architectures/phrasal_attention/ngrams.h"

namespace phraseq::phrasal {

/// The attention modules that can be phrasal (--pa-where).
enum class Place { kEncoderSelf, kDecoderSelf, kCross };
/// How n-gram lengths are assigned to heads (Nguyen & Joty 2018): each head has one length; each
/// head attends to n-grams of all lengths at once; queries are also made of n-grams.
enum class PhraseType { kHomogeneous, kHeterogeneous, kInterleaved };
/// The score of an n-gram: query times convolved key (CONVKV, eq. 5), or the sum over its words of
/// one convolved query each times the key (QUERYK, eq. 6).
enum class PhraseMethod { kConvKv, kQueryK };
/// The place of interleaved attention's convolution: it replaces the output projection or follows
/// it.
enum class ConvolutionPlace { kReplaceOutput, kAfterOutput };
/// The number under the root in the scale of queryk scores; the width is that of a head.
enum class PhraseScale { kWidthTimesLength, kWidthTimesSquare, kWidth };

inline constexpr EnumName<Place> kPlaceNames[] = {
    {"enc", Place::kEncoderSelf}, {"dec", Place::kDecoderSelf}, {"cross", Place::kCross}};
inline constexpr EnumName<PhraseType> kPhraseTypeNames[] = {
    {"homogeneous", PhraseType::kHomogeneous},
    {"heterogeneous", PhraseType::kHeterogeneous},
    {"interleaved", PhraseType::kInterleaved}};
inline constexpr EnumName<PhraseMethod> kPhraseMethodNames[] = {{"convkv", PhraseMethod::kConvKv},
                                                                {"queryk", PhraseMethod::kQueryK}};
inline constexpr EnumName<ConvolutionPlace> kConvolutionPlaceNames[] = {
    {"replace-o", ConvolutionPlace::kReplaceOutput}, {"after-o", ConvolutionPlace::kAfterOutput}};
inline constexpr EnumName<PhraseScale> kPhraseScaleNames[] = {
    {"dhn", PhraseScale::kWidthTimesLength},
    {"dhn2", PhraseScale::kWidthTimesSquare},
    {"dh", PhraseScale::kWidth}};

/// The Transformer's options and those of phrasal attention (Nguyen & Joty 2018). Defaults are the
/// paper's: tensor2tensor's conventions and interleaved attention with QUERYK everywhere.
struct PhrasalAttentionOptions : nn::TransformerOptions {
  PhraseType pa_type = PhraseType::kInterleaved;
  PhraseMethod pa_method = PhraseMethod::kQueryK;
  /// Empty: half of the heads with n = 1 and half with 2 (homogeneous), or n-grams of 1 and 2.
  std::string pa_ngrams;
  std::vector<std::string> pa_where = {"enc", "dec", "cross"};
  ConvolutionPlace pa_out = ConvolutionPlace::kReplaceOutput;
  PhraseScale pa_scale = PhraseScale::kWidthTimesLength;
  bool pa_conv_bias = false;

  PhrasalAttentionOptions();
  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  std::vector<std::string> without_effect() const override;

  /// `--pa-ngrams` for a stack's attention, with the default filled in: heads of n = 1, 2, … for
  /// homogeneous attention, otherwise the lengths in ascending order.
  std::vector<int64_t> ngrams_for(Stack stack) const;
  int64_t heads_of(Stack stack) const;
  bool applies_to(Place place) const;
};

}  // namespace phraseq::phrasal

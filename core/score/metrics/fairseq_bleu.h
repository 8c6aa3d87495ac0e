#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq::score {

/// BLEU as fairseq 0.12.2's libbleu computes it: n-grams of the tokens between whitespace, up to
/// order 4, one reference.
///
///   100 · min(1, exp(1 - reflen / syslen)) · exp(1/N · sum_n log(match_n / count_n))
///
/// No smoothing: a precision of zero makes the score zero. A line is a sequence of symbols of
/// fairseq's dictionary: `<pad>` at its beginning and `</s>` and `<pad>` at its end are left out,
/// but at least one symbol stays, so that an empty line counts as one token; `<unk>` of the system
/// matches nothing.
class PHRASEQ_API FairseqBleu {
 public:
  static constexpr int kHighestOrder = 4;

  /// `smoothed` is fairseq's smoothing for single sentences: adds one match and one n-gram to the
  /// orders above 1.
  explicit FairseqBleu(bool smoothed = false);

  void add(std::string_view system, std::string_view reference);
  double score(int order) const;
  /// "BLEU4 = 31.51, 63.5/39.2/25.9/17.3 (BP=0.974, ratio=0.974, syslen=11975, reflen=12291)"
  std::string result(int order) const;

 private:
  double precision(int order) const;
  double brevity() const;

  int64_t system_length_ = 0;
  int64_t reference_length_ = 0;
  std::vector<int64_t> matches_;
  std::vector<int64_t> counts_;
};

}  // namespace phraseq::score

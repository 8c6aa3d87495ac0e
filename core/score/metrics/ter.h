#pragma once

#include "core/score/metrics/metric.h"
#include "core/score/tokenizers/ter_tokenizer.h"

namespace phraseq::score {

/// Translation edit rate (Snover et al. 2006) as sacrebleu computes it: 100 · edits / reference
/// words.
///
/// With several references, the fewest edits count, divided by the average reference length; TER
/// may exceed 100. Without any reference words, it is 100 if there was an edit, otherwise 0.
class PHRASEQ_API Ter : public Metric {
 public:
  explicit Ter(TerTokenizerSettings settings) : settings_(settings) {}

  std::string name() const override { return "TER"; }
  bool higher_is_better() const override { return false; }
  /// edits, average reference length.
  size_t statistics() const override { return 2; }
  void measure(std::string_view hypothesis,
               std::span<const std::string_view> references,
               std::span<double> row) const override;
  double score(std::span<const double> sums) const override;
  ResamplePrecision resample_precision() const override { return ResamplePrecision::kSingle; }
  double score_single(std::span<const float> sums) const override;
  std::vector<SignatureField> signature() const override;

 private:
  TerTokenizerSettings settings_;
};

}  // namespace phraseq::score

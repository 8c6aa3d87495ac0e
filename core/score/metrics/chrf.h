#pragma once

#include <string>
#include <vector>

#include "core/score/metrics/metric.h"

namespace phraseq::score {

/// The settings of chrF; the defaults are sacrebleu's.
struct ChrfSettings {
  int char_order = 6;
  int word_order = 0;  ///< 2 makes chrF++
  int beta = 2;        ///< the weight of recall relative to precision
  bool lowercase = false;
  bool whitespace = false;     ///< whitespace counts as characters; otherwise it is removed first
  bool eps_smoothing = false;  ///< averages F-scores, with 1e-16 for undefined values
};

/// chrF (Popović 2015) and chrF++ (Popović 2017) as sacrebleu computes them:
///
///   100 · (1 + β²) · P · R / (β² · P + R)
///
/// with P and R averaged over the orders of which both sides have an n-gram. If the reference lacks
/// an order, the hypothesis's n-grams of that order do not count. If there are several references,
/// the one with the best F-score for the sentence is used; among equally good ones, the first.
class PHRASEQ_API Chrf : public Metric {
 public:
  explicit Chrf(ChrfSettings settings) : settings_(settings) {}

  /// "chrF2", "chrF2++": β, and a plus for each word order.
  std::string name() const override;
  /// hypothesis count, reference count, matches for each order: characters first, then words.
  size_t statistics() const override { return 3 * orders(); }
  void measure(std::string_view hypothesis,
               std::span<const std::string_view> references,
               std::span<double> row) const override;
  double score(std::span<const double> sums) const override;
  ResamplePrecision resample_precision() const override { return ResamplePrecision::kSingle; }
  double score_single(std::span<const float> sums) const override;
  std::vector<SignatureField> signature() const override;

 private:
  size_t orders() const { return static_cast<size_t>(settings_.char_order + settings_.word_order); }

  ChrfSettings settings_;
};

/// Words as chrF++ counts them: in a word longer than one character, a final ASCII punctuation mark
/// is separated; if there is none, an initial one; never both.
PHRASEQ_API std::vector<std::string_view> chrf_words(std::string_view line);

}  // namespace phraseq::score

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq::score {

/// One field of a signature: "case", the short name "c", and "mixed".
struct SignatureField {
  std::string name;
  std::string short_name;
  std::string value;
};

/// A measure that is a function of sums over sentences.
///
/// `measure` turns a sentence into a row of statistics; the corpus score is `score` of the summed
/// rows. Resampling sums other rows. Both are thread safe.
class PHRASEQ_API CorpusMetric {
 public:
  virtual ~CorpusMetric() = default;

  /// "BLEU", "chrF2++", "TER".
  virtual std::string name() const = 0;
  virtual bool higher_is_better() const { return true; }

  /// Length of a row.
  virtual size_t statistics() const = 0;
  /// Fills `row` for one sentence. At least one reference.
  virtual void measure(std::string_view hypothesis,
                       std::span<const std::string_view> references,
                       std::span<double> row) const = 0;

  virtual double score(std::span<const double> sums) const = 0;
  /// The same in single precision, operation by operation as NumPy 2 computes it for sacrebleu's
  /// resamples.
  virtual double score(std::span<const float> sums) const = 0;
  /// Whether those scores stay in single precision (BLEU takes logarithms, which Python does in
  /// double).
  virtual bool resamples_in_single() const { return true; }

  /// What is printed behind the score ("82.4/50.0/45.5/37.5 (BP = …"), or nothing.
  virtual std::string detail(std::span<const double> sums) const = 0;

  /// The metric's own part of the signature.
  virtual std::vector<SignatureField> signature() const = 0;
};

}  // namespace phraseq::score

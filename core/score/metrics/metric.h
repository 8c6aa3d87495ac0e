#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The language of a code as sacrebleu names it: "de" for "de_DE" and "de-AT", "zh" for "zho_Hans".
PHRASEQ_API std::string primary_language(std::string_view code);

/// The arguments of a metric besides its options.
struct MetricSetup {
  std::string target_language;  ///< "de"; empty if unknown
  bool sentence_level = false;  ///< every sentence gets its own score
};

/// One field of a signature: "case", the short name "c", and "mixed".
struct SignatureField {
  std::string name;
  std::string short_name;
  std::string value;
};

/// The precision of bootstrap resampling. Only metrics that reproduce sacrebleu's resamples to the
/// last digit need one other than kDouble.
enum class ResamplePrecision {
  kDouble,
  kSingleSums,  ///< rows are summed in single precision, scores are kept in double precision
  kSingle,      ///< sums and scores in single precision
};

/// A measure of system output against references that is a function of sums over sentences.
///
/// `measure` turns a sentence into a row of statistics; the corpus score is `score` of the summed
/// rows, and the score of a sentence is `score` of its row. Significance tests sum different
/// selections of the same rows. All functions are called from several threads at once.
class PHRASEQ_API Metric {
 public:
  static constexpr const char* kKind = "metric";
  using Setup = MetricSetup;
  using Factory = std::function<std::unique_ptr<Metric>(const Options&, const Setup&)>;

  virtual ~Metric() = default;

  /// The name in reports: "BLEU", "chrF2++", "TER".
  virtual std::string name() const = 0;
  virtual bool higher_is_better() const { return true; }

  /// The length of a row: at least 1, and the same for all sentences.
  virtual size_t statistics() const = 0;
  /// Fills `row` [statistics] for one sentence. There is at least one reference; any text may be
  /// empty.
  virtual void measure(std::string_view hypothesis,
                       std::span<const std::string_view> references,
                       std::span<double> row) const = 0;
  /// The score of one row or of the sum of many; finite even for a sum of zeros.
  virtual double score(std::span<const double> sums) const = 0;

  /// The text after the score ("82.4/50.0/45.5/37.5 (BP = …"), or nothing.
  virtual std::string detail(std::span<const double> /*sums*/) const { return {}; }
  /// The settings that the score depends on. Number of references, version and seed are added to
  /// it.
  virtual std::vector<SignatureField> signature() const { return {}; }

  virtual ResamplePrecision resample_precision() const { return ResamplePrecision::kDouble; }
  /// The score of a resample; called only for a metric that sums in single precision.
  virtual double score_single(std::span<const float> sums) const;
};

using Metrics = std::vector<std::unique_ptr<Metric>>;

}  // namespace phraseq

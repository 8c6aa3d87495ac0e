#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/score/metrics/metric.h"
#include "core/score/significance/significance.h"

namespace phraseq::score {

/// One metric's result for one system.
struct Score {
  std::string name;
  double value = 0;
  std::string detail;
  std::optional<Interval> interval;
  std::vector<SignatureField> signature;
};

/// How scores are printed.
struct ReportStyle {
  int width = 1;  ///< digits after the point
  bool score_only = false;
  bool short_signature = false;
};

/// The style of a line in a log: two decimal places, as in papers.
inline constexpr ReportStyle kLogStyle = {.width = 2};

/// "BLEU|nrefs:1|… = 48.5 (μ = 46.9 ± 46.8) 82.4/50.0/… (BP = …)", or only the numbers.
PHRASEQ_API std::string format_text(const Score& score, const ReportStyle& style);

/// The results of one system, one line each, aligned at " =".
PHRASEQ_API std::string report_text(const std::vector<Score>& scores, const ReportStyle& style);
/// One JSON object, or a list of objects, like sacrebleu's: name, score, signature, confidence,
/// verbose_score, and each signature field.
PHRASEQ_API std::string report_json(const std::vector<Score>& scores, const ReportStyle& style);

}  // namespace phraseq::score

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/score/significance/significance.h"

namespace phraseq::score {

enum class PairedTest { kNone, kBootstrap, kRandomization };

/// One metric of one system, and how it compares to the first system.
struct Result {
  double score = 0;
  std::optional<double> p_value;
  std::optional<Interval> interval;
};

/// Several systems by several metrics.
struct ResultsTable {
  PairedTest test = PairedTest::kNone;
  int64_t samples = 0;  ///< resamples or trials of the test
  std::vector<std::string> metrics;
  std::vector<std::string> signatures;       ///< one per metric
  std::vector<std::string> systems;          ///< the baseline of a test first
  std::vector<std::vector<Result>> results;  ///< [system][metric]
};

struct TableStyle {
  int width = 1;  ///< digits after the point
  bool colors = false;
};

/// The table as sacrebleu prints it to a terminal or for LaTeX, the explanation of the test, and
/// the signatures.
PHRASEQ_API std::string table_text(const ResultsTable& table, const TableStyle& style);
PHRASEQ_API std::string table_latex(const ResultsTable& table, const TableStyle& style);
/// A list of objects: without a test, the scores as text; with a test, score, p_value, mean and ci.
PHRASEQ_API std::string table_json(const ResultsTable& table, const TableStyle& style);

}  // namespace phraseq::score

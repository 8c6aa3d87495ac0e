#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "core/score/report/score_input.h"
#include "core/score/significance/statistics.h"

namespace phraseq::score {

/// The three sentences and two references of most expected values.
inline const Lines kHypotheses = {
    "The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."};
inline const std::vector<Lines> kReferences = {
    {"The dog bit the man.", "It was not unexpected.", "The man bit him first."},
    {"The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."}};

inline double corpus_score(const Metric& metric,
                           const Lines& hypotheses,
                           const std::vector<Lines>& references) {
  const auto sums = collect_statistics(metric, hypotheses, references, 1).sums();
  return metric.score(std::span<const double>(sums));
}

inline double example_score(const Metric& metric) {
  return corpus_score(metric, kHypotheses, kReferences);
}

/// The folder of WMT17 outputs, or an empty string without the data.
inline std::string score_data() {
  const char* folder = std::getenv("PHRASEQ_DATA");
  return folder == nullptr ? std::string() : std::string(folder) + "/scores/";
}

}  // namespace phraseq::score

#define SKIP_WITHOUT_SCORE_DATA() \
  if (score_data().empty())       \
  GTEST_SKIP() << "PHRASEQ_DATA is not set: no WMT17 outputs to score"

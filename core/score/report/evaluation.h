#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/score/report/results_table.h"
#include "core/score/report/score_report.h"

namespace phraseq::score {

/// One output to score, one line for each sentence.
struct System {
  std::string name;
  Lines lines;
};

/// The number of random samples, the seed, and the number of threads (0 = all), which does not
/// change the results.
struct Sampling {
  int64_t samples = 0;
  Seed seed = {};
  int threads = 0;
};

/// The score of one system by one metric, with a confidence interval if `sampling.samples` > 1.
PHRASEQ_API Score score_corpus(const Metric& metric,
                               const Lines& hypotheses,
                               std::span<const Lines> references,
                               const Sampling& sampling = {});

/// The scores of one system, with confidence intervals if `sampling.samples` > 1.
PHRASEQ_API std::vector<Score> score_system(const Metrics& metrics,
                                            const Lines& hypotheses,
                                            std::span<const Lines> references,
                                            const Sampling& sampling);

/// The score of each sentence by one metric.
PHRASEQ_API std::vector<Score> score_sentences(const Metric& metric,
                                               const Lines& hypotheses,
                                               std::span<const Lines> references,
                                               int threads);

/// The scores of several systems; with a test, each system is compared to the first.
PHRASEQ_API ResultsTable score_systems(const Metrics& metrics,
                                       std::span<const System> systems,
                                       std::span<const Lines> references,
                                       PairedTest test,
                                       const Sampling& sampling,
                                       bool short_signatures);

}  // namespace phraseq::score

#include "core/translate/extras/mbr_choice.h"

#include <algorithm>

#include "core/translate/hypothesis_text.h"

namespace phraseq {

namespace {

void sort_by_utility(Translation& translation,
                     const Task& task,
                     const Metric& metric,
                     score::MbrWeights weights,
                     PostProcess remove_bpe) {
  std::vector<std::string> texts;
  std::vector<double> log_probabilities;
  for (const Hypothesis& hypothesis : translation.hypotheses) {
    texts.push_back(hypothesis_text(task, translation.example, hypothesis, remove_bpe));
    log_probabilities.push_back(hypothesis.log_probability);
  }
  const auto utilities =
      score::expected_utilities(metric, texts, score::mbr_weights(weights, log_probabilities));
  for (size_t i = 0; i < utilities.size(); ++i)
    translation.hypotheses[i].expected_utility = utilities[i];
  std::stable_sort(translation.hypotheses.begin(),
                   translation.hypotheses.end(),
                   [](const Hypothesis& a, const Hypothesis& b) {
                     return *a.expected_utility > *b.expected_utility;
                   });
}

}  // namespace

void choose_by_mbr(std::vector<Translation>& translations,
                   const Task& task,
                   const Metric& metric,
                   score::MbrWeights weights,
                   PostProcess remove_bpe,
                   const WorkerSettings& workers) {
  run_jobs(static_cast<int64_t>(translations.size()), workers, [&](int64_t number, int64_t) {
    sort_by_utility(translations[static_cast<size_t>(number)], task, metric, weights, remove_bpe);
  });
}

}  // namespace phraseq

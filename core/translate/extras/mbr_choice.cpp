#include "core/translate/extras/mbr_choice.h"

#include <algorithm>

#include "core/translate/hypothesis_text.h"

namespace phraseq {
namespace {

void sort_by_utility(Translation& translation, const MbrRule& rule) {
  std::vector<std::string> texts;
  std::vector<double> log_probabilities;
  for (const Hypothesis& hypothesis : translation.hypotheses) {
    texts.push_back(hypothesis_text(rule.task, translation.example, hypothesis, rule.remove_bpe));
    log_probabilities.push_back(hypothesis.log_probability);
  }
  const auto utilities = score::expected_utilities(
      rule.metric, texts, score::mbr_weights(rule.weights, log_probabilities));
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
                   const MbrRule& rule,
                   const WorkerSettings& workers) {
  run_jobs(static_cast<int64_t>(translations.size()), workers, [&](int64_t number, int64_t) {
    sort_by_utility(translations[static_cast<size_t>(number)], rule);
  });
}

}  // namespace phraseq

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/nn/context.h"
#include "core/score/metrics/metric.h"
#include "core/score/report/score_report.h"
#include "core/search/decoder.h"
#include "core/train/validation/validation_result.h"
#include "core/train/validation/validation_split.h"
#include "core/translate/repeated_hypotheses.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// Translates the sentences of a split and scores the translations against the references.
class ValidationScorer {
 public:
  /// One decoder per worker. Everything that is referred to must outlive the object.
  ValidationScorer(const TranslationModel& model,
                   const ValidationSplit& split,
                   const ValidatorOptions& options,
                   nn::Precision precision,
                   std::vector<Decoder*> decoders,
                   const Metric& metric);

  /// Adds the score of the whole split to `result`, and those of the parts that it has.
  void add_scores(ValidationResult& result, int64_t threads_per_worker);
  /// Warns if most translations of the last `add_scores` are identical.
  void warn_of_repeated_hypotheses() const;
  bool higher_is_better() const { return metric_.higher_is_better(); }

 private:
  std::vector<std::string> hypotheses(int64_t threads_per_worker) const;
  std::map<int64_t, std::string> translations(const std::vector<Example>& examples,
                                              Decoder& decoder) const;
  std::vector<std::string> note_references(const std::vector<std::string>& hypotheses);
  void add_scores_of(const std::vector<std::string>& hypotheses,
                     const std::vector<std::string>& references,
                     ValidationResult& result) const;
  score::Score score_of(const CorpusPart& part,
                        const std::vector<std::string>& hypotheses,
                        const std::vector<std::string>& references) const;

  const TranslationModel& model_;
  const ValidationSplit& split_;
  const ValidatorOptions& options_;
  nn::Precision precision_;
  std::vector<Decoder*> decoders_;
  const Metric& metric_;
  RepeatedHypotheses repeated_;
  int repeated_in_a_row_ = 0;
};

}  // namespace phraseq

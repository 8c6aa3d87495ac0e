#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/criterion/criterion.h"
#include "core/distributed/process_group.h"
#include "core/distributed/process_report.h"
#include "core/nn/context.h"
#include "core/score/metrics/metric.h"
#include "core/search/decoder.h"
#include "core/train/validation/validation_result.h"
#include "core/train/validation/validation_scorer.h"
#include "core/train/validation/validation_split.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// Evaluates a model on a split: the criterion's loss per target token over every sentence and, if
/// a decoder and a metric are given, the score of the translated text against the references.
class PHRASEQ_API Validator {
 public:
  Validator(const TranslationModel& translation_model,
            Criterion& criterion,
            nn::Precision precision,
            ValidatorOptions options);
  /// Computes several batches at the same time. Each worker has its own criterion (the first one
  /// uses the constructor's) and `threads_per_worker` threads for its operators. The criterions
  /// must outlive the validator.
  void work_with(const std::vector<Criterion*>& more_criterions, int64_t threads_per_worker);
  /// Also translates, with one decoder per worker. The decoders must outlive the validator.
  void translate_with(std::vector<Decoder*> decoders, const Metric& metric);
  /// Divides the batches among these processes, all of which call `run`: each gets the same result
  /// as a single process would. The processes must outlive the validator.
  void share_with(ProcessGroup& processes) { split_.share_with(processes); }

  /// Computes the losses and, with a decoder, the score of the split and of its parts (language
  /// pairs). The score is left out if the loss is not finite.
  ValidationResult run();
  /// Warns if most translations of the last `run` are identical.
  void warn_of_repeated_hypotheses() const;
  const Corpus& corpus() const { return split_.corpus(); }
  /// True if a larger score is better for the metric of `translate_with`.
  bool larger_score_is_better() const { return scorer_ == nullptr || scorer_->higher_is_better(); }

 private:
  BatchReports losses() const;
  LossReport loss_of(const std::vector<Example>& examples, Criterion& criterion) const;
  std::map<std::string, ValidationPart> part_losses(const BatchReports& reports) const;

  const TranslationModel& translation_model_;
  std::vector<Criterion*> criterions_;  ///< one per worker
  int64_t threads_per_worker_ = 1;
  nn::Precision precision_;
  ValidatorOptions options_;
  ValidationSplit split_;
  std::unique_ptr<ValidationScorer> scorer_;  ///< null without translation
};

}  // namespace phraseq

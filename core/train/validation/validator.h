#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/criterion/criterion.h"
#include "core/data/batching/part_plans.h"
#include "core/data/data_loader.h"
#include "core/distributed/process_group.h"
#include "core/distributed/process_report.h"
#include "core/nn/context.h"
#include "core/score/metrics/metric.h"
#include "core/score/report/score_report.h"
#include "core/search/decoder.h"
#include "core/train/validation/validation_result.h"
#include "core/translate/post_process.h"
#include "core/translate/repeated_hypotheses.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// The split that a Validator evaluates, and the size of its batches.
struct ValidatorOptions {
  std::string subset = "valid";
  int64_t max_tokens = 4096;
  int64_t max_sentences = 0;
  int64_t translated_sentences = 0;  ///< 0 = all
  int64_t printed_samples = 0;
  PostProcess remove_bpe = PostProcess::kNotGiven;  ///< how to join subwords before scoring
};

struct ValidationOptions;

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
  void work_with(const std::vector<Criterion*>& more_criteria, int64_t threads_per_worker);
  /// Also translates, with one decoder per worker. The decoders must outlive the validator.
  void translate_with(std::vector<Decoder*> decoders, const Metric& metric);
  /// Divides the batches among these processes, all of which call `run`: each gets the same result
  /// as a single process would. The processes must outlive the validator.
  void share_with(ProcessGroup& processes) { processes_ = &processes; }

  /// Computes the losses and, with a decoder, the score of the split and of its parts (language
  /// pairs). The score is left out if the loss is not finite.
  ValidationResult run();
  /// Warns if most translations of the last `run` are identical.
  void warn_of_repeated_hypotheses() const;
  const Corpus& corpus() const { return *corpus_; }
  /// True if a larger score is better for the metric of `translate_with`.
  bool score_is_maximized() const { return metric_ == nullptr || metric_->higher_is_better(); }

 private:
  using Examples = std::vector<Example>;
  BatchReports losses();
  LossReport loss_of(const Examples& examples, Criterion& criterion) const;
  std::vector<size_t> own_batches() const;
  Examples examples_of(size_t batch, int64_t limit);
  std::vector<std::string> hypotheses();
  std::map<int64_t, std::string> translations(const Examples& examples, Decoder& decoder);
  std::vector<std::string> note_references(const std::vector<std::string>& hypotheses);
  void add_score(ValidationResult& result);
  void add_scores_of(const std::vector<std::string>& hypotheses,
                     const std::vector<std::string>& references,
                     ValidationResult& result) const;
  score::Score score_of(const CorpusPart& part,
                        const std::vector<std::string>& hypotheses,
                        const std::vector<std::string>& references) const;
  std::map<std::string, ValidationPart> part_losses(const BatchReports& reports) const;

  const TranslationModel& translation_model_;
  std::vector<Criterion*> criteria_;  ///< one per worker
  int64_t threads_per_worker_ = 1;
  nn::Precision precision_;
  ValidatorOptions options_;
  std::vector<Decoder*> decoders_;  ///< one per worker, or none
  const Metric* metric_ = nullptr;
  std::unique_ptr<Corpus> corpus_;
  std::mutex text_;  ///< guards the corpus and the task's text
  PartPlans plans_;
  ProcessGroup* processes_ = &single_process();
  RepeatedHypotheses repeated_;
  int repeated_in_a_row_ = 0;
};

/// True if a larger value is better for the metric that selects checkpoints; `validator` may be
/// null.
PHRASEQ_API bool larger_is_better(const ValidationOptions& options, const Validator* validator);

}  // namespace phraseq

#pragma once

#include <memory>
#include <vector>

#include "core/criterion/criterion.h"
#include "core/distributed/process_group.h"
#include "core/run/training/train_run.h"
#include "core/score/metrics/metric.h"
#include "core/search/decoder.h"
#include "core/train/validation/validator.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// The validation side of a run: a validator for each validation set and, with --eval-bleu, the
/// decoders and the metric.
struct ValidationParts {
  std::vector<std::unique_ptr<Criterion>> criterions;  ///< one for each worker but the first
  std::vector<std::unique_ptr<Decoder>> decoders;      ///< one per worker
  std::unique_ptr<Metric> metric;
  std::vector<std::unique_ptr<Validator>> validators;  ///< in the order of --valid-subset

  /// The validator that decides which checkpoint is the best; null without validation.
  Validator* deciding() const { return validators.empty() ? nullptr : validators.front().get(); }
  std::vector<Validator*> further() const;
};

/// Makes the parts; they are empty with --disable-validation. `criterion` is the first worker's.
/// Throws DataError if the data lack one of the splits.
ValidationParts make_validation(TrainRun& run,
                                const TranslationModel& translation_model,
                                Criterion& criterion,
                                ProcessGroup& processes);

/// The criterion of the run, for one worker.
std::unique_ptr<Criterion> make_criterion(const TrainRun& run,
                                          const TranslationModel& translation_model);

}  // namespace phraseq

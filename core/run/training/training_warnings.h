#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/criterion/criterion.h"
#include "core/data/data_loader.h"
#include "core/data/task.h"
#include "core/optim/lr_scheduler.h"
#include "core/optim/parameter_average.h"
#include "core/options/option_table.h"
#include "core/text/dictionary.h"

/// Warnings before the first update about settings and data that make a model learn little or be
/// evaluated wrongly. Each states the figures and the remedy.
namespace phraseq {

/// Warns if the run ends before the learning rate has reached its peak.
PHRASEQ_API void warn_of_warmup(std::optional<int64_t> run_length, const OptionTable& table);

/// Warns if the average of --store-ema will still consist mainly of the initial parameters when the
/// run ends.
PHRASEQ_API void warn_of_average(std::optional<int64_t> run_length,
                                 const MovingAverageOptions& average);

/// Warns of options that were given without another option that they need.
PHRASEQ_API void warn_of_unused_options(const OptionTable& table);

/// Warns that --lr has no effect if the schedule is the same with another rate.
PHRASEQ_API void warn_of_unused_rate(const LrScheduler& scheduler,
                                     const LrScheduler& with_other_rate,
                                     const OptionTable& table);

/// Warns of validation options that are given together with --disable-validation.
PHRASEQ_API void warn_of_unused_validation(const OptionTable& table);

/// Warns if --load-alignments is given and the criterion, called `name`, has no alignment loss.
PHRASEQ_API void warn_of_unused_alignments(const Criterion& criterion,
                                           std::string_view name,
                                           const OptionTable& table);

/// A resumed run with a changed --max-update, and therefore a different learning-rate schedule.
struct ChangedLength {
  int64_t then = 0;
  int64_t now = 0;
  int64_t updates = 0;  ///< updates at the checkpoint
};

/// Warns if the earlier and the current --max-update result in different learning rates.
PHRASEQ_API void warn_of_schedule(const LrScheduler& then,
                                  const LrScheduler& now,
                                  const ChangedLength& length);

/// Warns if the dictionary has more types than the training text can teach.
PHRASEQ_API void warn_of_vocabulary(const Dictionary& dictionary, const Corpus& training);

/// Warns if a dictionary of the data differs from that of the checkpoint whose parameters the run
/// begins with, because embeddings belong to ids. `texts` are the texts of the checkpoint's task.
PHRASEQ_API void warn_of_other_dictionaries(const std::map<std::string, std::string>& texts,
                                            const Task& task);

/// Throws DataError if a dictionary of the data differs from that of the checkpoint to resume from.
PHRASEQ_API void require_dictionaries_of(const CheckpointFile& file, const Task& task);

/// Warns if pairs of the validation split `split` are also in the training set.
PHRASEQ_API void warn_of_overlap(const Corpus& training,
                                 const Corpus& validation,
                                 const std::string& split);

/// Number of pairs of `some` that are also in `others`, with both sides equal.
PHRASEQ_API int64_t common_pairs(const Corpus& some, const Corpus& others);

}  // namespace phraseq

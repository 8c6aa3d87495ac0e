#include "core/run/training/training_job.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/criterion/declared_criterion.h"
#include "core/data/batching/batch_iterator.h"
#include "core/io/atomic_file.h"
#include "core/optim/named_optimizer.h"
#include "core/plot/curves/learning_curves.h"
#include "core/run/batches/automatic_batches.h"
#include "core/run/run_manifest.h"
#include "core/run/training/agreed_corpus.h"
#include "core/run/training/announcements.h"
#include "core/run/training/components/optimizer_parts.h"
#include "core/run/training/components/training_settings.h"
#include "core/run/training/computation.h"
#include "core/run/training/first_model.h"
#include "core/run/training/foreign_files.h"
#include "core/run/training/preset_training.h"
#include "core/run/training/resumed_run.h"
#include "core/run/training/training_summary.h"
#include "core/run/training/validation/validation_parts.h"
#include "core/run/training/warnings/data_warnings.h"
#include "core/run/training/warnings/dictionary_check.h"
#include "core/run/training/warnings/schedule_warnings.h"
#include "core/run/training/warnings/unused_options.h"
#include "core/train/resume/same_run.h"
#include "core/train/trainer.h"

namespace phraseq {
namespace {

void write_manifest(const TrainRun& run, const std::string& folder, nlohmann::json manifest) {
  manifest["precision"] = precision_text(run);
  try {
    write_file(folder + "/run.json", manifest.dump(2) + "\n");
  } catch (const IoError& failure) {
    if (run.checkpoints.save_failure == SaveFailure::kStop)
      throw;
    log_error(fmt::format("training continues without a new manifest (--save-failure warn): {}",
                          failure.what()));
  }
}

/// Draws the learning curves when the training ends, even with an error.
class CurvesAtEnd {
 public:
  explicit CurvesAtEnd(std::string folder) : folder_(std::move(folder)) {}
  CurvesAtEnd(const CurvesAtEnd&) = delete;
  CurvesAtEnd& operator=(const CurvesAtEnd&) = delete;
  ~CurvesAtEnd() {
    if (!folder_.empty())
      plot::write_learning_curves(folder_);
  }

 private:
  std::string folder_;
};

/// Opens the folder in the first process; null in the others and with --no-save.
std::unique_ptr<CheckpointFolder> make_folder(const TrainRun& run, const ProcessGroup& processes) {
  if (run.checkpoints.no_save || !processes.is_first())
    return nullptr;
  reject_foreign_files(run.checkpoints.save_dir, run.machine.plot);
  return std::make_unique<CheckpointFolder>(run.checkpoints.save_dir);
}

/// One training from the options to the last checkpoint: owns the components, in the order of their
/// dependencies, and runs the steps.
class TrainingJob {
 public:
  TrainingJob(TrainRun& run, ProcessGroup& processes)
      : run_(run),
        processes_(processes),
        folder_(make_folder(run, processes)),
        resumed_(find_resumed_run(run.checkpoints, processes)),
        translation_model_(make_first_model(run, resumed_.record.has_value(), processes)),
        criterion_(make_criterion(run, translation_model_)),
        optimizer_(make_optimizer(run, *translation_model_.parameters, processes)),
        corpus_(open_agreed_corpus(run, translation_model_, processes)),
        automatic_batches_(settle_automatic_batches()),
        batches_(
            corpus_,
            training_batches(run, *translation_model_.model),
            [this](const std::vector<Example>& examples) { return collate(examples); },
            run.machine.data_buffer_size),
        length_(settle_length()),
        validation_(make_validation(run, translation_model_, *criterion_, processes)),
        scheduler_(run.scheduler, scheduler_setup(run, translation_model_, validation_.deciding())),
        average_(make_average()),
        log_(logging_of(run, processes), folder_ ? folder_->path() : "") {
    warn();
  }

  /// Trains; returns the exit code.
  int train(std::span<const std::string> arguments) {
    announce(run_, translation_model_, batches_, processes_);
    announce_preset_values(run_, translation_model_.architecture_selection.training);
    MicroBatchWorkers workers(
        translation_model_,
        *criterion_,
        [this] { return make_criterion(run_, translation_model_); },
        thread_settings(run_));
    Trainer trainer(dependencies(workers), trainer_options(run_));
    if (resumed_.record) {
      if (resumed_.file)
        require_dictionaries_of(*resumed_.file, *translation_model_.task);
      trainer.resume(resumed_.path, *resumed_.record, resumed_.file ? &*resumed_.file : nullptr);
      warn_of_length(trainer.state().updates);
    }
    write_run_json(arguments);  // only now: a rejected run must not replace the earlier run's
    const CurvesAtEnd curves(folder_ && run_.machine.plot ? folder_->path() : "");
    const int signal = trainer.run();
    if (signal != 0)
      log_info(fmt::format("training stops: signal {}{}",
                           signal,
                           folder_ ? "; the same command continues the run" : ""));
    summarize(trainer.state());
    processes_.finish();
    return signal == 0 ? kExitOk : 128 + signal;
  }

 private:
  const TrainingDefaults& defaults() const {
    return translation_model_.architecture_selection.training;
  }

  /// Makes a batch; called on the prefetching thread.
  Batch collate(const std::vector<Example>& examples) const {
    Batch batch = translation_model_.collate(examples);
    return translation_model_.parameters->values().is_cuda() ? batch.pinned() : batch;
  }

  /// Determines automatic batch sizes; returns nothing if there are none.
  std::optional<nlohmann::json> settle_automatic_batches() {
    AutomaticBatches request;
    request.dependencies = {
        &translation_model_,
        criterion_.get(),
        corpus_.get(),
        [this] { return make_criterion(run_, translation_model_); },
        [this](int64_t max_tokens) { return thread_settings(run_, max_tokens); }};
    request.settings = {precision_of(run_), run_.machine.checkpoint_activations, {}, 0};
    request.batching = training_batches(run_, *translation_model_.model);
    request.reserved_bytes = reserved_bytes(run_, translation_model_, processes_);
    request.recorded = resumed_.record ? &resumed_.record->options : nullptr;
    request.processes = &processes_;
    return settle_batches(run_.table, request);
  }

  /// Batches of an average epoch: with several folders of data, epochs differ.
  int64_t mean_batches_in_epoch() const {
    const double sentences = static_cast<double>(std::max<int64_t>(1, corpus_->size()));
    const double share = static_cast<double>(corpus_->mean_epoch_size()) / sentences;
    return std::llround(static_cast<double>(batches_.batches_in_epoch()) * share);
  }

  /// Number of updates of the whole run, if known; also sets the warm-up to a fraction of it.
  std::optional<int64_t> settle_length() {
    OptimizationOptions of_all = run_.optimization;
    of_all.update_freq = batches_per_update(processes_.size(), of_all.update_freq);
    const auto length = expected_updates(of_all, mean_batches_in_epoch());
    take_warmup(defaults(),
                length,
                resumed_.record ? resumed_.record->options : nlohmann::json::object(),
                run_.table);
    return length;
  }

  std::unique_ptr<ParameterAverage> make_average() {
    return run_.average.enabled()
               ? std::make_unique<ParameterAverage>(run_.average, *translation_model_.parameters)
               : nullptr;
  }

  void warn() const {
    warn_of_warmup(length_, run_.table);
    if (!processes_.is_first())
      return;
    if (!resumed_.record && run_.checkpoints.finetune_from_model.empty())
      warn_of_average(length_, run_.average);
    warn_of_unused_options(run_.table);
    const Selection* const selections[] = {&translation_model_.architecture_selection,
                                           &translation_model_.task_selection,
                                           &run_.criterion,
                                           &run_.optimizer,
                                           &run_.scheduler};
    for (const Selection* selection : selections) warn_of_values_without_effect(*selection);
    warn_of_rate();
    warn_of_unused_alignments(*criterion_, run_.criterion.name, run_.table);
    if (run_.validation.disable_validation)
      warn_of_unused_validation(run_.table);
    warn_of_data(run_, translation_model_, *corpus_);
  }

  /// Warns if --lr was given and the schedule does not use it. Skips the comparison if the schedule
  /// fails with another rate, or if it fails after more updates than this run has.
  void warn_of_rate() const {
    if (!run_.table.find("lr")->is_given())
      return;
    LrSchedulerSetup setup = scheduler_setup(run_, translation_model_, validation_.deciding());
    const auto other = [](double rate) { return rate > 0 ? 2 * rate : 1; };
    setup.lr = other(setup.lr);
    std::ranges::transform(setup.lr_list, setup.lr_list.begin(), other);
    try {
      warn_of_unused_rate(scheduler_, NamedScheduler(run_.scheduler, setup), run_.table);
    } catch (const Error&) {
    }
  }

  /// Warns if --max-update of a resumed run changes the schedule. Skips the comparison if the
  /// scheduler rejects the earlier --max-update.
  void warn_of_length(int64_t updates) const {
    const int64_t now = run_.optimization.max_update;
    const int64_t then = resumed_.record->options.value("max_update", now);
    if (then == now || run_.checkpoints.reset_lr_scheduler || run_.checkpoints.reset_optimizer)
      return;
    try {
      LrSchedulerSetup setup = scheduler_setup(run_, translation_model_, validation_.deciding());
      setup.max_update = then;
      NamedScheduler as_before(run_.scheduler, setup);
      as_before.restore(scheduler_.state());
      warn_of_schedule(as_before, scheduler_, {then, now, updates});
    } catch (const UsageError&) {
    }
  }

  TrainerDependencies dependencies(MicroBatchWorkers& workers) {
    return {.translation_model = &translation_model_,
            .workers = &workers,
            .optimizer = optimizer_.optimizer.get(),
            .scheduler = &scheduler_,
            .batches = &batches_,
            .validator = validation_.deciding(),
            .folder = folder_.get(),
            .log = &log_,
            .signals = &signals_,
            .average = average_.get(),
            .processes = &processes_,
            .sharded = optimizer_.sharded,
            .further_validators = validation_.further()};
  }

  void write_run_json(std::span<const std::string> arguments) const {
    if (!folder_)
      return;
    auto manifest = run_manifest(
        arguments, run_.table, run_.loaded->plugins, translation_model_, corpus_->fingerprint());
    manifest["processes"] = processes_.size();
    if (automatic_batches_)
      manifest["automatic_batches"] = *automatic_batches_;
    write_manifest(run_, folder_->path(), std::move(manifest));
  }

  void summarize(const TrainState& state) const {
    const std::string text =
        folder_ ? training_summary(run_, state, *folder_, translation_model_) : "";
    if (!text.empty())
      log_info(text);
  }

  TrainRun& run_;
  ProcessGroup& processes_;
  std::unique_ptr<CheckpointFolder> folder_;
  ResumedRun resumed_;
  TranslationModel translation_model_;
  std::unique_ptr<Criterion> criterion_;
  OptimizerParts optimizer_;
  std::shared_ptr<Corpus> corpus_;
  std::optional<nlohmann::json> automatic_batches_;  ///< how they were found
  BatchIterator batches_;
  std::optional<int64_t> length_;
  ValidationParts validation_;
  NamedScheduler scheduler_;
  std::unique_ptr<ParameterAverage> average_;
  TrainingLog log_;
  StopSignals signals_;
};

}  // namespace

int run_training_job(TrainRun& run,
                     std::span<const std::string> arguments,
                     ProcessGroup& processes) {
  warn_of_other_criterion(run.architecture, run.criterion);
  return TrainingJob(run, processes).train(arguments);
}

}  // namespace phraseq

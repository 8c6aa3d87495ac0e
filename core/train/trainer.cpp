#include "core/train/trainer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/random.h"
#include "core/options/option_text.h"
#include "core/train/resume/change_of_scores.h"
#include "core/train/resume/resume_training.h"
#include "core/train/resume/shared_parameters.h"
#include "core/train/stop_rules.h"
#include "core/train/train_checkpoint.h"

namespace phraseq {
namespace {

void warn_without_limit(const StopLimits& limits) {
  if (limits.max_update > 0 || limits.max_epoch > 0 || limits.stop_time_hours > 0 ||
      limits.patience > 0)
    return;
  log_warning(
      "training continues until it is stopped: --max-update, --max-epoch, --stop-time-hours and "
      "--patience set limits");
}

/// Collects the divided optimizer state in the first process, which saves it.
SavingTogether saving_together(const TrainerDependencies& dependencies,
                               const CheckpointOptions& options) {
  ShardedOptimizer* const sharded = dependencies.sharded;
  if (sharded == nullptr || options.no_save || options.no_save_optimizer_state)
    return {};
  return {[sharded] { sharded->collect(); },
          [sharded, processes = dependencies.processes](bool saved) {
            sharded->release();
            return !processes->text_of_first(saved ? "saved" : "").empty();
          }};
}

}  // namespace

Trainer::Trainer(TrainerDependencies dependencies, TrainerOptions options)
    : dependencies_(dependencies),
      options_(std::move(options)),
      recovery_({dependencies_.batches,
                 &state_,
                 dependencies_.log,
                 dependencies_.translation_model->parameters->values().device(),
                 dependencies_.processes->is_first()},
                {options_.optimization.max_bad_updates, options_.checkpoint_activations}),
      gradients_({dependencies_.translation_model->parameters.get(),
                  dependencies_.workers,
                  dependencies_.processes,
                  &recovery_},
                 options_.sums),
      step_(dependencies_, options_),
      watch_(dependencies_, options_, state_, step_),
      finished_updates_(dependencies_, options_, state_),
      validations_(dependencies_, options_.validation, state_),
      checkpoints_(
          {dependencies_.folder, &state_, dependencies_.log},
          options_.checkpoints,
          {options_.validation.best_checkpoint_metric,
           validations_.larger_is_better(),
           [this](const nlohmann::json& recorded) { return is_comparable(recorded); }},
          [this](const std::string& path, bool stays) { write_checkpoint_to(path, stays); },
          saving_together(dependencies_, options_.checkpoints)) {
  if (!dependencies_.processes->is_alone())
    dependencies_.batches->share(dependencies_.processes->rank(), dependencies_.processes->size());
  dependencies_.batches->divide(dependencies_.workers->count());
}

void Trainer::require_batches() const {
  if (dependencies_.batches->batches_in_epoch() > 0)
    return;
  throw DataError(fmt::format("epoch {}: there are no sentence pairs to train on: {}",
                              dependencies_.batches->epoch(),
                              dependencies_.batches->skipped().text()));
}

int Trainer::run() {
  require_batches();
  dependencies_.scheduler->begin_epoch(state_.finished_epochs + 1);
  if (const auto reached = watch_.limit(); reached && !was_stopped_in_end_of_epoch()) {
    log_info(fmt::format("nothing to do: at {}; increase the limit to continue", *reached));
    return 0;
  }
  warn_without_limit(watch_.limits());
  share_parameters(dependencies_, options_.precision);
  dependencies_.log->begin(watch_.limits(), watch_.progress(), state_);
  if (is_new_model_)
    dependencies_.log->event("start", {{"updates", state_.updates}});
  train();
  if (watch_.signalled() == 0) {
    log_info(fmt::format("training stops: {}", *watch_.limit()));
    if (options_.validation.validate_interval_updates == 0)
      validate();
  }
  checkpoints_.at_end(watch_.progress());
  warn_of_result();
  if (watch_.signalled() == 0)
    validations_.require_finite();
  return watch_.signalled();
}

/// Trains until the run is over.
void Trainer::train() {
  do {
    while (!watch_.is_over()) train_epoch();
    finish_pending_update();
    if (watch_.signalled() == 0 && watch_.is_at_end_of_epoch())
      end_epoch();
  } while (!watch_.is_over());  // the next learning rate may be above --stop-min-lr again
}

/// Trains until the epoch ends or the run is over.
void Trainer::train_epoch() {
  while (!watch_.is_over()) {
    UpdateGroup group = gather();
    if (group.sentence_ids.empty()) {
      if (dependencies_.batches->batches_in_epoch() == 0)
        checkpoints_.at_end(watch_.progress());  // saves what has been trained so far
      require_batches();
      // A run that was resumed at the end of an epoch has already counted that epoch.
      if (state_.finished_epochs < dependencies_.batches->epoch())
        end_epoch();
      return;
    }
    skipped_.announce(*dependencies_.batches);
    train_update(std::move(group));
  }
}

void Trainer::train_update(UpdateGroup group) {
  BatchReports reports = gradients_.compute(group, next_pass());
  reduce(group, reports);
  finish_pending_update();
  step_.clip_and_step(std::move(reports), std::move(group.sentence_ids), watch_.learning_rate());
  if (step_.is_deferred() && !needs_result_now())
    return;
  finish_update();
  validate_after_update();
  checkpoints_.after_update(watch_.progress(), watch_.checkpoint_requested());
}

UpdateGroup Trainer::gather() {
  const auto& by_epoch = options_.optimization.update_freq;
  const auto epoch = static_cast<size_t>(state_.finished_epochs);
  const int64_t processes = dependencies_.processes->size();
  return gather_update(*dependencies_.batches,
                       {by_epoch[std::min(epoch, by_epoch.size() - 1)] * processes,
                        options_.optimization.accumulate_to_tokens},
                       processes);
}

/// The number of updates before the next one, including an update whose result has not been read
/// yet and which may turn out to be skipped.
int64_t Trainer::updates_before_next() const {
  return state_.updates + (step_.has_result() ? 1 : 0);
}

/// The number of updates started so far, including skipped ones. Seeds the dropout masks.
int64_t Trainer::updates_begun() const { return updates_before_next() + state_.bad_updates; }

UpdatePass Trainer::next_pass() const {
  return {{options_.precision,
           options_.checkpoint_activations,
           step_.loss_scale(),
           updates_before_next()},
          mix_seeds(options_.seed, static_cast<uint64_t>(updates_begun()))};
}

/// Sums the gradients over all processes and replaces `reports` by the reports of all batches of
/// the update.
void Trainer::reduce(const UpdateGroup& group, BatchReports& reports) {
  if (dependencies_.processes->is_alone())
    return;
  ProcessReport agreed = exchange_reports(*dependencies_.processes, own_report(std::move(reports)));
  gradients_.sum(group.contributes, agreed.sums_again);
  reports = std::move(agreed.batches);
  watch_.note(std::move(agreed));
}

/// This process's report, to be exchanged with those of the others; call after the gradients are
/// computed.
ProcessReport Trainer::own_report(BatchReports reports) const {
  ProcessReport mine;
  mine.batches = std::move(reports);
  mine.sums_again = gradients_.is_spoiled();
  for (auto& [position, report] : mine.batches) report.read();
  if (dependencies_.signals != nullptr) {
    mine.signal = dependencies_.signals->requested();
    mine.checkpoint_requested = dependencies_.signals->take_checkpoint_request();
  }
  mine.wall_seconds = dependencies_.log->wall_seconds();
  return mine;
}

/// True if logging, validation, saving or stopping may be due next.
bool Trainer::needs_result_now() const {
  const auto is_due = [after = state_.updates + 1](int64_t every) {
    return every > 0 && after % every == 0;
  };
  if (!step_.has_result() || is_due(dependencies_.log->log_interval()) ||
      is_due(options_.validation.validate_interval_updates) ||
      is_due(options_.checkpoints.save_interval_updates))
    return true;
  const bool is_asked = dependencies_.signals != nullptr && dependencies_.signals->has_request();
  return is_asked || all_batches_delivered(*dependencies_.batches) ||
         watch_.limit(/*more_updates=*/1).has_value();
}

/// Finishes the update before this one if its result is still on the GPU.
void Trainer::finish_pending_update() {
  if (step_.has_result())
    finish_update();
}

/// Counts and logs the last update.
void Trainer::finish_update() {
  const std::optional<UpdateResult> result = step_.take_result();
  if (result && finished_updates_.count(*result, step_.loss_scaler()))
    checkpoints_.note_update();
  finished_updates_.log(watch_.progress());
}

/// Validates every --validate-interval-updates or, without it, after the last update of the run.
void Trainer::validate_after_update() {
  const int64_t validate_every = options_.validation.validate_interval_updates;
  const bool is_due =
      validate_every > 0
          ? state_.updates > 0 && state_.updates % validate_every == 0
          : watch_.limit().has_value() && !watch_.is_at_end_of_epoch();  // end_epoch validates
  if (is_due)
    validate();
}

void Trainer::end_epoch() {
  ++state_.finished_epochs;
  dependencies_.log->epoch_end(watch_.progress(), state_.epoch);
  if (state_.epoch.updates > 0 && state_.epoch.losses.loss_sum == 0) {
    log_warning(
        "the loss of all batches is 0: no target token is part of it (is --ignore-prefix-size "
        "larger than the sentences?)");
  }
  state_.epoch = {};
  const bool is_due = watch_.is_validation_due_after(state_.finished_epochs);
  const auto value = is_due || watch_.ends_with_validation() ? validate() : std::nullopt;
  dependencies_.scheduler->end_epoch(state_.updates, is_due ? value : std::nullopt);
  dependencies_.scheduler->begin_epoch(state_.finished_epochs + 1);
  checkpoints_.after_epoch(watch_.progress());
}

std::optional<double> Trainer::validate() {
  return validations_.validate(watch_.progress(), checkpoints_);
}

void Trainer::write_checkpoint_to(const std::string& path, bool stays) {
  const AverageInUse in_use(dependencies_.average);
  state_.scheduler = dependencies_.scheduler->state();
  if (const LossScaler* const scaler = step_.loss_scaler())
    state_.loss_scaler = scaler->state();
  CheckpointContents contents;
  contents.translation_model = dependencies_.translation_model;
  contents.optimizer =
      options_.checkpoints.no_save_optimizer_state ? nullptr : dependencies_.optimizer;
  contents.state = &state_;
  if (dependencies_.average != nullptr && contents.optimizer != nullptr)
    contents.trained = dependencies_.average->other();
  contents.options = to_json(*options_.table);
  contents.position = dependencies_.batches->position();
  contents.processes = dependencies_.processes->size();
  contents.is_temporary = !stays;
  write_train_checkpoint(path, contents);
}

void Trainer::resume(const std::string& path,
                     const TrainRecord& record,
                     const CheckpointFile* file) {
  state_ = resume_training(dependencies_, options_, step_.loss_scaler(), {path, record, file});
  is_new_model_ = false;
}

/// Whether the scores of a run with the recorded options can be compared with this run's.
bool Trainer::is_comparable(const nlohmann::json& recorded) const {
  return !change_of_scores(*options_.table, options_.validation.best_checkpoint_metric, recorded);
}

/// Warns if a new model has learned little; a model that was already trained is not checked for
/// this. Also warns of repeated translations.
void Trainer::warn_of_result() const {
  const std::string loss = finished_updates_.loss_finding();
  if (is_new_model_ && options_.checkpoints.finetune_from_model.empty() && !loss.empty()) {
    log_warning(fmt::format(
        "{}. Try another --lr (now {:g}; 0.0005 to 0.005 is usual with Adam) and another "
        "--warmup-updates, and make sure that the lines of the two languages correspond",
        loss,
        watch_.learning_rate()));
  }
  if (dependencies_.validator != nullptr)
    dependencies_.validator->warn_of_repeated_hypotheses();
}

/// True for a run that a signal or a kill has ended between the last update of an epoch and its
/// validation or its checkpoint.
bool Trainer::was_stopped_in_end_of_epoch() const {
  if (!watch_.is_at_end_of_epoch())
    return false;
  const int64_t epoch = state_.finished_epochs + 1;
  const bool is_validated_then =
      watch_.is_validation_due_after(epoch) || watch_.ends_with_validation();
  return (is_validated_then && validations_.are_possible() && !validations_.is_done()) ||
         checkpoints_.saves_after_epoch(epoch);
}

}  // namespace phraseq

#include "core/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/random.h"
#include "core/nn/functional/reference/operators_only.h"
#include "core/optim/gradient.h"
#include "core/options/option_text.h"
#include "core/train/resume/best_so_far.h"
#include "core/train/resume/resumed_state.h"
#include "core/train/resume/same_run.h"
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
SavingTogether saving_together(const TrainerDependencies& parts, const CheckpointOptions& options) {
  ShardedOptimizer* const sharded = parts.sharded;
  if (sharded == nullptr || options.no_save || options.no_save_optimizer_state)
    return {};
  return {[sharded] { sharded->collect(); },
          [sharded, processes = parts.processes](bool saved) {
            sharded->release();
            return !processes->text_of_first(saved ? "saved" : "").empty();
          }};
}

}  // namespace

Trainer::Trainer(TrainerDependencies parts, TrainerOptions options)
    : parts_(parts),
      options_(std::move(options)),
      recovery_({parts_.batches,
                 &state_,
                 parts_.log,
                 parts_.translator->parameters->values().device(),
                 parts_.processes->is_first()},
                {options_.optimization.max_bad_updates, options_.checkpoint_activations}),
      gradients_({parts_.translator->parameters.get(), parts_.shares, parts_.processes, &recovery_},
                 options_.sums),
      bad_updates_(state_, *parts_.log, parts_.folder, options_.optimization.max_bad_updates),
      validations_(parts_, options_.validation, state_),
      checkpoints_(
          parts_.folder,
          options_.checkpoints,
          {options_.validation.best_checkpoint_metric, validations_.larger_is_better()},
          state_.last_validation,
          *parts_.log,
          [this](const std::string& path) { write_checkpoint_to(path); },
          saving_together(parts_, options_.checkpoints)) {
  if (!parts_.processes->is_alone())
    parts_.batches->share(parts_.processes->rank(), parts_.processes->size());
  parts_.batches->divide(parts_.shares->count());
  if (options_.precision == nn::Precision::kFp16) {
    loss_scaler_.emplace(
        options_.loss_scale,
        loss_scale_window(
            options_.loss_scale, parts_.processes->size(), options_.optimization.update_freq));
  }
}

double Trainer::learning_rate() const { return parts_.scheduler->rate(state_.updates); }

TrainingPlace Trainer::place() const {
  return {parts_.batches->epoch(),
          parts_.batches->batches_delivered(),
          parts_.batches->batches_in_epoch(),
          state_.updates,
          learning_rate(),
          state_.best,
          options_.validation.best_checkpoint_metric,
          loss_scaler_ ? std::optional(loss_scale()) : std::nullopt};
}

TrainingMoment Trainer::moment() const {
  return {parts_.batches->epoch(), state_.updates, state_.finished_epochs};
}

UpdateGroup Trainer::gather() {
  const auto& by_epoch = options_.optimization.update_freq;
  const auto epoch = static_cast<size_t>(state_.finished_epochs);
  const int64_t processes = parts_.processes->size();
  return gather_update(*parts_.batches,
                       {by_epoch[std::min(epoch, by_epoch.size() - 1)] * processes,
                        options_.optimization.accumulate_to_tokens},
                       processes);
}

/// Updates started so far, skipped ones included. Seeds the dropout masks.
int64_t Trainer::updates_begun() const {
  return state_.updates + state_.bad_updates + (pending_ ? 1 : 0);
}

UpdatePass Trainer::next_pass() const {
  return {{options_.precision,
           options_.checkpoint_activations,
           loss_scaler_ ? std::optional(loss_scale()) : std::nullopt},
          mix_seeds(options_.seed, static_cast<uint64_t>(updates_begun()))};
}

/// Computes the sums of all batches of the update on all processes; leaves their gradients in the
/// gradient buffer of the parameters.
LossReport Trainer::compute_everywhere(UpdateGroup& group) {
  BatchReports reports = gradients_.compute(group, next_pass());
  if (!parts_.processes->is_alone()) {
    agreed_ = exchange_reports(*parts_.processes, own_report(std::move(reports)));
    gradients_.sum(group.contributes, agreed_.sums_again);
    reports = agreed_.batches;
  }
  gradient_norm_ = read_sums_and_norm(reports);
  return sum_of(reports);
}

/// This process's report for the all-reduce; call after the gradients are computed.
ProcessReport Trainer::own_report(BatchReports reports) const {
  ProcessReport mine;
  mine.batches = std::move(reports);
  mine.sums_again = gradients_.is_spoiled();
  for (auto& [position, report] : mine.batches) report.read();
  if (parts_.signals != nullptr) {
    mine.signal = parts_.signals->requested();
    mine.checkpoint_requested = parts_.signals->take_checkpoint_request();
  }
  mine.wall_seconds = parts_.log->wall_seconds();
  return mine;
}

/// Reads all sums into the reports and returns the norm of the gradients. The host waits for a
/// GPU only once.
double Trainer::read_sums_and_norm(BatchReports& reports) const {
  const at::Tensor& gradients = parts_.translator->parameters->gradients();
  std::vector<LossReport*> all;
  for (auto& [position, report] : reports) all.push_back(&report);
  if (!gradients.is_cpu() || nn::operators_only())
    return read_together(all, gradient_norm_on_device(gradients));
  read_together(all, {});  // fp16 has no kernels on the CPU
  return gradient_norm(gradients);
}

double Trainer::loss_divisor(const LossReport& sums) const {
  const LossNormalization by = options_.optimization.loss_normalization;
  if (by == LossNormalization::kSentences || options_.optimization.sentence_avg)
    return static_cast<double>(sums.sentences);
  return by == LossNormalization::kNone ? 1.0 : static_cast<double>(sums.tokens);
}

/// True if an update is settled while the next one is being computed.
bool Trainer::settles_later() const {
  const bool on_device = !parts_.translator->parameters->values().is_cpu() || nn::operators_only();
  return on_device && parts_.processes->is_alone() && !loss_scaler_ && parts_.average == nullptr &&
         parts_.optimizer->can_step_if();
}

void Trainer::update(UpdateGroup group) {
  if (settles_later()) {
    begin_update(std::move(group));
  } else {
    update_at_once(std::move(group));
    after_update();
  }
}

void Trainer::update_at_once(UpdateGroup group) {
  const LossReport sums = compute_everywhere(group);
  if (sums.sentences == 0)
    return;  // there was no memory for any batch
  const double divisor = std::max(1.0, loss_divisor(sums)) * loss_scale();
  const double norm = gradient_norm_ / divisor;
  if (!std::isfinite(norm) || !std::isfinite(sums.loss_sum))
    return skip_bad_update(group.sentence_ids, norm);

  const double clip = clip_factor(norm, options_.optimization.clip_norm);
  parts_.optimizer->step(learning_rate(), clip / divisor);
  if (loss_scaler_) {
    loss_scaler_->note_update();
    parts_.translator->parameters->refresh_fp16();
  }
  note_update(sums, norm);
}

/// Queues an update on the device, which decides by itself whether to skip it.
void Trainer::begin_update(UpdateGroup group) {
  LossReport sums = sum_of(gradients_.compute(group, next_pass()));
  settle();
  if (sums.sentences > 0) {
    const double divisor = std::max(1.0, loss_divisor(sums));
    const at::Tensor norm =
        gradient_norm_on_device(parts_.translator->parameters->gradients()) / divisor;
    const auto loss = sums.on_device.find(kLossSum);
    at::Tensor is_good = norm.isfinite();
    if (loss != sums.on_device.end())
      is_good = is_good.logical_and(loss->second.isfinite());
    const at::Tensor clip = clip_factor_on_device(norm, options_.optimization.clip_norm);
    parts_.optimizer->step_if(is_good, learning_rate(), clip / divisor);
    pending_.emplace(
        PendingUpdate{PendingSums(std::move(sums), norm), std::move(group.sentence_ids)});
  }
  if (!must_settle_now())
    return;
  settle();
  after_update();
}

/// True if logging, validation, saving or stopping may come next.
bool Trainer::must_settle_now() const {
  const auto is_due = [after = state_.updates + 1](int64_t every) {
    return every > 0 && after % every == 0;
  };
  if (!pending_ || is_due(parts_.log->log_interval()) ||
      is_due(options_.validation.validate_interval_updates) ||
      is_due(options_.checkpoints.save_interval_updates))
    return true;
  const bool is_asked = parts_.signals != nullptr && parts_.signals->has_request();
  return is_asked || all_batches_delivered(*parts_.batches) ||
         limit(/*more_updates=*/1).has_value();
}

/// Reads the result of the pending update and counts it as a good or a skipped one.
void Trainer::settle() {
  if (!pending_)
    return;
  const PendingSums::Values values = pending_->sums.take();
  const SentenceIds ids = std::move(pending_->sentence_ids);
  pending_.reset();
  if (std::isfinite(values.extra) && std::isfinite(values.report.loss_sum)) {
    note_update(values.report, values.extra);
  } else {
    parts_.optimizer->set_steps(parts_.optimizer->steps() - 1);
    skip_bad_update(ids, values.extra);
  }
  log_update();
}

/// Counts an update after the optimizer has stepped; `norm` is that of its gradients.
void Trainer::note_update(const LossReport& sums, double norm) {
  ++state_.updates;
  if (parts_.average != nullptr)
    parts_.average->update(state_.updates);
  state_.bad_updates_in_a_row = 0;
  checkpoints_.note_update();
  loss_trend_.note(sums.loss_sum, sums.tokens);
  for (IntervalSums* part : {&state_.interval, &state_.epoch}) {
    part->losses.add(sums);
    part->gradient_norm_sum += norm;
    part->updates += 1;
    part->clipped += clip_factor(norm, options_.optimization.clip_norm) < 1.0 ? 1 : 0;
  }
}

/// Counts a bad update. The parameters stay as they are.
void Trainer::skip_bad_update(const SentenceIds& sentence_ids, double norm) {
  if (loss_scaler_) {
    bad_updates_.note_overflow(*loss_scaler_);
  } else {
    bad_updates_.note(sentence_ids, norm);
  }
}

/// The stop limits; patience is ignored without a validator.
StopLimits Trainer::limits() const {
  const auto& o = options_.optimization;
  return {o.max_update,
          o.max_epoch,
          o.stop_time_hours,
          o.stop_min_lr,
          parts_.validator == nullptr ? 0 : options_.validation.patience};
}

/// The limit that would be reached after `more_updates` further updates.
std::optional<std::string> Trainer::limit(int64_t more_updates) const {
  const int64_t updates = state_.updates + more_updates;
  const double rate = parts_.scheduler->rate(updates);
  return reached_limit(
      limits(),
      {updates,
       state_.finished_epochs,
       parts_.processes->is_alone() ? parts_.log->wall_seconds() : agreed_.wall_seconds,
       rate,
       updates > 0 && rate > parts_.scheduler->rate(updates - 1),
       state_.validations_without_better});
}

bool Trainer::checkpoint_requested() const {
  if (!parts_.processes->is_alone())
    return agreed_.checkpoint_requested;
  return parts_.signals != nullptr && parts_.signals->take_checkpoint_request();
}

void Trainer::log_update() {
  parts_.log->tick(place(), state_.interval);
  // "updates" of the interval rather than of the run: a skipped update logs nothing twice.
  if (state_.interval.updates >= 1 && state_.updates % parts_.log->log_interval() == 0) {
    parts_.log->interval(place(), state_.interval);
    state_.interval = {};
  }
}

void Trainer::after_update() {
  log_update();
  const int64_t validate_every = options_.validation.validate_interval_updates;
  const bool is_due = validate_every > 0
                          ? state_.updates > 0 && state_.updates % validate_every == 0
                          : limit().has_value() && !is_at_end_of_epoch();  // end_epoch validates
  if (is_due)
    validate();
  checkpoints_.after_update(moment(), checkpoint_requested());
}

void Trainer::end_epoch() {
  ++state_.finished_epochs;
  parts_.log->epoch_end(place(), state_.epoch);
  state_.epoch = {};
  const bool is_due = state_.finished_epochs % options_.validation.validate_interval == 0;
  // The last validation of the run comes before its last checkpoint.
  const bool ends = options_.validation.validate_interval_updates == 0 && limit().has_value();
  const auto value = is_due || ends ? validate() : std::nullopt;
  parts_.scheduler->end_epoch(state_.updates, is_due ? value : std::nullopt);
  parts_.scheduler->begin_epoch(state_.finished_epochs + 1);
  checkpoints_.after_epoch(moment());
}

std::optional<double> Trainer::validate() { return validations_.validate(place(), checkpoints_); }

void Trainer::write_checkpoint_to(const std::string& path) {
  const AverageInUse in_use(parts_.average);
  state_.scheduler = parts_.scheduler->state();
  if (loss_scaler_)
    state_.loss_scaler = loss_scaler_->state();
  CheckpointContents contents;
  contents.translator = parts_.translator;
  contents.optimizer = options_.checkpoints.no_save_optimizer_state ? nullptr : parts_.optimizer;
  contents.state = &state_;
  if (parts_.average != nullptr && contents.optimizer != nullptr)
    contents.trained = parts_.average->other();
  contents.options = to_json(*options_.table);
  contents.position = parts_.batches->position();
  contents.processes = parts_.processes->size();
  write_train_checkpoint(path, contents);
}

void Trainer::resume(const std::string& path,
                     const TrainRecord& record,
                     const CheckpointFile* file) {
  const ResumingRun run{options_.table,
                        parts_.translator->task.get(),
                        &options_.optimization,
                        &options_.checkpoints,
                        parts_.processes->size()};
  require_same_options(run, path, record);
  if (file != nullptr) {
    restore_training(*file,
                     record,
                     *parts_.translator,
                     options_.checkpoints.reset_optimizer ? nullptr : parts_.optimizer,
                     parts_.average);
  }
  announce_processes(run, record);
  restore_state(path, record);
  is_new_model_ = false;
  parts_.translator->parameters->refresh_copy(options_.precision);
  log_info(fmt::format("resumed from {} at update {}, epoch {}, batch {}",
                       path,
                       state_.updates,
                       parts_.batches->epoch(),
                       parts_.batches->batches_delivered()));
  parts_.log->event("resume", {{"updates", state_.updates}, {"checkpoint", path}});
}

void Trainer::restore_state(const std::string& path, const TrainRecord& record) {
  state_ = resumed_state(record.state, options_.checkpoints, keeps_best(record));
  if (!options_.checkpoints.reset_lr_scheduler)
    parts_.scheduler->restore(state_.scheduler);
  if (loss_scaler_ && !state_.loss_scaler.is_null())
    loss_scaler_->restore(JsonEntry(state_.loss_scaler, path + ": the state of the loss scale"));
  if (!options_.checkpoints.reset_dataloader)
    parts_.batches->restore(record.position);
}

/// True if the best score of the checkpoint can be compared with the scores of this run.
bool Trainer::keeps_best(const TrainRecord& record) const {
  if (options_.checkpoints.reset_meters || options_.checkpoints.reset_optimizer)
    return false;
  return is_best_comparable(
      *options_.table, options_.validation.best_checkpoint_metric, record.options);
}

/// Warns of a new model that has learned little. Does not check a trained one that was trained
/// further.
void Trainer::warn_of_result() const {
  const std::string loss = loss_trend_.finding();
  if (is_new_model_ && options_.checkpoints.finetune_from_model.empty() && !loss.empty()) {
    log_warning(fmt::format(
        "{}. Try another --lr (it is {:g} now; usual with Adam are 0.0005 to 0.005) and another "
        "--warmup-updates, and make sure that the lines of the two languages correspond",
        loss,
        learning_rate()));
  }
  if (parts_.validator != nullptr)
    parts_.validator->warn_of_repeated_hypotheses();
}

int Trainer::signalled() const {
  if (!parts_.processes->is_alone())
    return agreed_.signal;
  return parts_.signals == nullptr ? 0 : parts_.signals->requested();
}

/// Trains until a limit is reached or a signal arrives.
void Trainer::train_until_limit() {
  while (!limit() && signalled() == 0) {
    UpdateGroup group = gather();
    if (group.sentence_ids.empty()) {
      // A run resumed at an epoch's end has counted it already.
      if (state_.finished_epochs < parts_.batches->epoch())
        end_epoch();
      continue;
    }
    update(std::move(group));
  }
  settle();
  if (signalled() == 0 && is_at_end_of_epoch())
    end_epoch();
}

/// True if the last update finished an epoch that end_epoch has not counted yet.
bool Trainer::is_at_end_of_epoch() const {
  const BatchIterator& batches = *parts_.batches;
  return state_.finished_epochs < batches.epoch() &&
         batches.batches_delivered() == batches.batches_in_epoch();
}

int Trainer::run() {
  if (parts_.batches->batches_in_epoch() == 0) {
    throw DataError(fmt::format("there are no sentence pairs to train on: {}",
                                parts_.batches->skipped().text()));
  }
  if (const auto reached = limit()) {
    log_info(fmt::format("nothing to do: at {}; increase the limit to continue", *reached));
    return 0;
  }
  warn_without_limit(limits());
  share_parameters(parts_, options_.precision);
  parts_.scheduler->begin_epoch(state_.finished_epochs + 1);
  parts_.log->begin(limits(), place(), state_);
  if (is_new_model_)
    parts_.log->event("start", {{"updates", state_.updates}});
  train_until_limit();
  if (signalled() == 0) {
    log_info(fmt::format("training stops: {}", *limit()));
    if (options_.validation.validate_interval_updates == 0)
      validate();
  }
  checkpoints_.at_end(moment());
  warn_of_result();
  if (signalled() == 0)
    validations_.require_finite();
  return signalled();
}

}  // namespace phraseq

#include "core/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/out_of_memory.h"
#include "core/base/random.h"
#include "core/data/options_from_data.h"
#include "core/io/atomic_file.h"
#include "core/nn/functional/reference/operators_only.h"
#include "core/nn/memory/device_memory.h"
#include "core/optim/gradient.h"
#include "core/options/option_text.h"
#include "core/train/shares/training_pass.h"
#include "core/train/stop_rules.h"
#include "core/train/train_checkpoint.h"

namespace phraseq {

namespace {

/// The options that --reset-lr-scheduler allows to differ.
std::vector<std::string> names_of_schedule(const OptionTable& table) {
  std::vector<std::string> names = {"lr", "lr-scheduler"};
  for (const OptionField& field : table.fields()) {
    if (field.section.starts_with(LrScheduler::kKind))
      names.push_back(field.name);
  }
  return names;
}

void warn_without_limit(const StopLimits& limits) {
  if (limits.max_update > 0 || limits.max_epoch > 0 || limits.stop_time_hours > 0 ||
      limits.patience > 0)
    return;
  log_warning(
      "training goes on until it is stopped: --max-update, --max-epoch, --stop-time-hours and "
      "--patience set limits");
}

std::vector<int64_t> recorded_update_freq(const TrainRecord& record) {
  return record.options.value("update_freq", std::vector<int64_t>{1});
}

/// By epoch.
std::vector<int64_t> batches_per_update(int64_t processes, std::vector<int64_t> update_freq) {
  for (int64_t& batches : update_freq) batches *= processes;
  return update_freq;
}

uint64_t dropout_seed(const UpdateGroup::Own& own, uint64_t update_seed) {
  const uint64_t seed = mix_seeds(update_seed, static_cast<uint64_t>(own.position));
  return own.part == 0 ? seed : mix_seeds(seed, static_cast<uint64_t>(own.part));
}

/// Adds gradients of batches that are computed one after another in the parameters' buffer. A
/// single one stays where it is.
class GradientSum {
 public:
  /// `sum` is memory that is kept between updates.
  GradientSum(nn::FlatParameters& parameters, at::Tensor& sum)
      : parameters_(parameters), sum_(sum) {}

  /// What the next gradient is added to; undefined for the first.
  at::Tensor so_far() const { return added_ > 0 ? sum_ : at::Tensor(); }

  void add(bool is_last) {
    at::Tensor& gradients = parameters_.gradients();  // [elements]
    if (added_++ > 0) {
      (is_last ? gradients : sum_).add_(is_last ? sum_ : gradients);
    } else if (!is_last) {
      sum_ = sum_.defined() ? sum_.copy_(gradients) : gradients.clone();
    }
    is_in_place_ = is_last;
  }

  /// The sum is among the gradients then, also when what came last was not added.
  void finish() {
    if (is_in_place_)
      return;
    if (added_ == 0)
      return parameters_.zero_gradients();
    parameters_.gradients().copy_(sum_);
  }

 private:
  nn::FlatParameters& parameters_;
  at::Tensor& sum_;
  int64_t added_ = 0;
  bool is_in_place_ = false;
};

/// The first process saves the whole state of the optimizer.
SavingTogether saving_together(const TrainerParts& parts, const CheckpointOptions& options) {
  ShardedOptimizer* const sharded = parts.sharded;
  if (sharded == nullptr || options.no_save || options.no_save_optimizer_state)
    return {};
  return {[sharded] { sharded->collect(); },
          [sharded, processes = parts.processes](bool saved) {
            sharded->release();
            return !processes->text_of_first(saved ? "saved" : "").empty();
          }};
}

std::string shape_text(const Batch& batch) {
  return fmt::format("{} sentences, {} source and {} target tokens, longest {} and {}",
                     batch.target_in.sentences(),
                     batch.source.tokens(),
                     batch.target_in.tokens(),
                     batch.source.max_length(),
                     batch.target_in.max_length());
}

/// As --max-tokens counts them.
int64_t tokens_of(const Batch& batch) {
  return std::max(batch.source.tokens(), batch.target_in.tokens());
}

/// The divergence is what ends the run, also when the disk is full.
void write_divergence(const std::string& path, const std::string& text) {
  try {
    write_file(path, text);
  } catch (const IoError& failure) {
    log_error(failure.what());
  }
}

}  // namespace

Trainer::Trainer(TrainerParts parts, TrainerOptions options)
    : parts_(parts),
      options_(std::move(options)),
      memory_(parts_.translator->parameters->values().device()),
      best_(larger_is_better(options_.validation, parts_.validator),
            state_.best,
            state_.validations_without_better),
      checkpoints_(
          parts_.folder,
          options_.checkpoints,
          {options_.validation.best_checkpoint_metric, best_.larger_is_better()},
          *parts_.log,
          [this](const std::string& path) { write_checkpoint_to(path); },
          saving_together(parts_, options_.checkpoints)) {
  if (!parts_.processes->is_alone())
    parts_.batches->share(parts_.processes->rank(), parts_.processes->size());
  parts_.batches->divide(parts_.shares->count());
  nn::FlatParameters& parameters = *parts_.translator->parameters;
  if (!parts_.processes->is_alone() && options_.bucket_bytes > 0) {
    const auto bytes = static_cast<int64_t>(parameters.values().element_size());
    overlapped_ = std::make_unique<OverlappedSum>(
        *parts_.processes, parameters, options_.bucket_bytes / bytes, options_.wire);
  }
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

int64_t Trainer::group_size() const {
  const auto& list = options_.optimization.update_freq;
  const auto epoch = static_cast<size_t>(state_.finished_epochs);
  return list[std::min(epoch, list.size() - 1)] * parts_.processes->size();
}

bool Trainer::all_batches_delivered() const {
  return parts_.batches->batches_delivered() == parts_.batches->batches_in_epoch();
}

/// The batches of the next update; fewer than asked for where the epoch ends, none when it is over.
/// The iterator is asked for the end only with an empty group: the last, smaller group is an update
/// of its own, and a checkpoint behind it still stands at this epoch's end.
UpdateGroup Trainer::gather() {
  UpdateGroup group;
  group.contributes.resize(static_cast<size_t>(parts_.processes->size()));
  const int64_t enough_tokens = options_.optimization.accumulate_to_tokens;
  int64_t tokens = 0;
  const auto full = [&] {
    return enough_tokens > 0 ? tokens >= enough_tokens
                             : static_cast<int64_t>(group.sentence_ids.size()) >= group_size();
  };
  while (!full() && (group.sentence_ids.empty() || !all_batches_delivered())) {
    auto planned = parts_.batches->next_planned();
    if (!planned)
      break;
    tokens += planned->target_tokens;
    const auto position = static_cast<int64_t>(group.sentence_ids.size());
    group.sentence_ids.push_back(std::move(planned->sentence_ids));
    group.contributes[static_cast<size_t>(planned->owner)] = true;
    for (int64_t part = 0; Batch & share : planned->shares)
      group.own.push_back({position, std::move(share), part++});
  }
  return group;
}

/// The sums of one share of a batch; its gradient is added to that of the instance's parameters.
LossReport Trainer::loss_of(const ModelInstance& instance,
                            const UpdateGroup::Own& own,
                            uint64_t update_seed) const {
  const PassSettings settings{options_.precision,
                              options_.checkpoint_activations,
                              loss_scaler_ ? std::optional(loss_scale()) : std::nullopt};
  return training_pass(instance, own.batch, settings, dropout_seed(own, update_seed));
}

/// Good and bad ones; decides the dropout masks.
int64_t Trainer::updates_begun() const {
  return state_.updates + state_.bad_updates + (pending_ ? 1 : 0);
}

/// Number of shares, from the running one on, that belong to one batch and have a thread each.
int64_t Trainer::shares_at_once(const UpdateGroup& group) const {
  int64_t count = 0;
  for (size_t i = running_batch_; i < group.own.size() && count < parts_.shares->count(); ++i) {
    if (group.own[i].position != group.own[running_batch_].position)
      break;
    ++count;
  }
  return count;
}

/// The sums of the batches that fit into memory; their gradients are in the parameters'. The
/// gradient of each batch is computed by itself, as the sum of its shares in their order, and the
/// gradients are added in the order of the batches: processes that compute one batch each get the
/// same bits. A share that does not fit into memory is divided or taken out of the group; those
/// before it are not computed again.
BatchReports Trainer::accumulate(UpdateGroup& group) {
  BatchReports reports;
  GradientSum sum(*parts_.translator->parameters, gradient_sum_);
  for (running_batch_ = 0; running_batch_ < group.own.size();) {
    const size_t first = running_batch_;
    const std::exception_ptr failure = accumulate_next(group, sum.so_far(), reports);
    if (running_batch_ > first)
      sum.add(/*is_last=*/running_batch_ == group.own.size());
    if (failure)
      make_room_after(failure, group);
  }
  sum.finish();
  return reports;
}

/// The next batches that are computed at once, after batches whose gradients sum to `so_far`.
/// Returns what the first batch that failed threw, or null. The gradient of the group's last batch
/// is shared with the other processes while it is computed, unless threads compute shares of it.
std::exception_ptr Trainer::accumulate_next(const UpdateGroup& group,
                                            const at::Tensor& so_far,
                                            BatchReports& reports) {
  const size_t first = running_batch_;
  const int64_t count = shares_at_once(group);
  const bool overlaps = overlapped_ && count == 1 && first + 1 == group.own.size();
  if (overlaps)
    overlapped_->arm(so_far);
  const std::exception_ptr failure = add_reports(compute_shares(group, count), group, reports);
  if (running_batch_ > first) {
    parts_.shares->add_gradients(static_cast<int64_t>(running_batch_ - first));
    if (overlaps)
      overlapped_->finish();
  }
  if (overlaps && failure)
    overlapped_->abandon();
  return failure;
}

std::vector<TrainingShares::Outcome> Trainer::compute_shares(const UpdateGroup& group,
                                                             int64_t count) {
  const uint64_t update_seed = mix_seeds(options_.seed, static_cast<uint64_t>(updates_begun()));
  memory_.begin_pass();
  return parts_.shares->compute(count, [&](const ModelInstance& instance, int64_t share) {
    return loss_of(instance, group.own[running_batch_ + static_cast<size_t>(share)], update_seed);
  });
}

/// Adds what the batches before the first failure report, and moves on behind them. Returns the
/// failure, or null.
std::exception_ptr Trainer::add_reports(const std::vector<TrainingShares::Outcome>& outcomes,
                                        const UpdateGroup& group,
                                        BatchReports& reports) {
  auto outcome = outcomes.begin();
  int64_t tokens = 0;
  for (; outcome != outcomes.end() && !outcome->failure; ++outcome) {
    const UpdateGroup::Own& own = group.own[running_batch_++];
    reports[own.position].add(outcome->report);
    tokens += tokens_of(own.batch);
  }
  if (outcome != outcomes.begin()) {
    skipped_in_a_row_ = 0;
    note_fitted(tokens);
  }
  return outcome == outcomes.end() ? nullptr : outcome->failure;
}

/// Only for the running batch, and only when what it threw means that there is no memory.
void Trainer::make_room_after(const std::exception_ptr& failure, UpdateGroup& group) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& known) {
    if (!means_out_of_memory(known.what()))
      throw;
    make_room(group, known.what());
  }
}

/// The sums of all batches of the update, and their gradients in the parameters', on all processes.
LossReport Trainer::accumulate_everywhere(UpdateGroup& group) {
  ProcessGroup& processes = *parts_.processes;
  if (processes.is_alone()) {
    BatchReports reports = accumulate(group);
    gradient_norm_ = read_sums_and_norm(reports);
    return sum_of(reports);
  }
  agreed_ = exchange_reports(processes, own_report(group));
  if (overlapped_ && !agreed_.sums_again) {
    overlapped_->take();
  } else {
    processes.sum_in_rank_order(
        parts_.translator->parameters->gradients(), group.contributes, options_.wire);
  }
  gradient_norm_ = read_sums_and_norm(agreed_.batches);
  return sum_of(agreed_.batches);
}

/// Of one of several processes, with its gradients computed.
ProcessReport Trainer::own_report(UpdateGroup& group) {
  ProcessReport mine;
  if (overlapped_)
    overlapped_->begin(group.contributes);
  mine.batches = accumulate(group);
  if (overlapped_) {
    overlapped_->finish();  // also where there was no batch
    mine.sums_again = overlapped_->is_spoiled();
  }
  for (auto& [position, report] : mine.batches) report.read();
  if (parts_.signals != nullptr) {
    mine.signal = parts_.signals->requested();
    mine.checkpoint_requested = parts_.signals->take_checkpoint_request();
  }
  mine.wall_seconds = parts_.log->wall_seconds();
  return mine;
}

/// The norm of the gradients; the reports then have all sums. The host waits once for a GPU, and
/// only here.
double Trainer::read_sums_and_norm(BatchReports& reports) const {
  const at::Tensor& gradients = parts_.translator->parameters->gradients();
  std::vector<LossReport*> all;
  for (auto& [position, report] : reports) all.push_back(&report);
  if (!gradients.is_cpu() || nn::operators_only())
    return read_together(all, gradient_norm_on_device(gradients));
  read_together(all, {});  // fp16 has no kernels on the CPU
  return gradient_norm(gradients);
}

/// Divides the batch that there was no memory for; one of a single sentence is taken out.
void Trainer::make_room(UpdateGroup& group, const std::string& reason) {
  nn::release_memory(parts_.translator->parameters->values().device());
  const auto place = group.own.begin() + static_cast<int64_t>(running_batch_);
  if (place->batch.sentences() > 1)
    return divide_batch(group);
  skip_batch(place->batch, reason);
  group.own.erase(place);
}

void Trainer::divide_batch(UpdateGroup& group) {
  UpdateGroup::Own& whole = group.own[running_batch_];
  note_short_memory("divided", whole.batch);
  const std::vector<int64_t> ids = whole.batch.sentence_ids;
  const auto middle = ids.begin() + static_cast<int64_t>(ids.size() / 2);
  whole.batch = parts_.batches->batch_of({ids.begin(), middle});
  UpdateGroup::Own rest{whole.position,
                        parts_.batches->batch_of({middle, ids.end()}),
                        static_cast<int64_t>(group.own.size())};
  group.own.insert(group.own.begin() + static_cast<int64_t>(running_batch_) + 1, std::move(rest));
}

/// The first batch that fits after others did not tells what would have.
void Trainer::note_fitted(int64_t tokens) {
  memory_.end_pass(tokens);
  if (tokens_without_memory_ == 0)
    return;
  log_of_memory(advice_on_memory(tokens_without_memory_));
  tokens_without_memory_ = 0;
}

/// Too many in a row end the run: there is no memory for any.
void Trainer::skip_batch(const Batch& batch, const std::string& reason) {
  if (++skipped_in_a_row_ >= options_.optimization.max_bad_updates) {
    const std::string advice =
        memory_.largest() > 0 ? "; " + advice_on_memory(tokens_of(batch)) : "";
    throw OutOfMemory(fmt::format("{} sentences in a row, the last one with {}: {}{}",
                                  skipped_in_a_row_,
                                  shape_text(batch),
                                  reason,
                                  advice));
  }
  note_short_memory("skipped", batch);
}

/// `done` with the batch: "divided" or "skipped".
void Trainer::note_short_memory(const std::string& done, const Batch& batch) {
  const std::string shape = shape_text(batch);
  if (memory_.largest() == 0)
    tokens_without_memory_ = tokens_of(batch);
  log_of_memory(fmt::format(
      "{} a batch for want of memory ({}); {}", done, shape, advice_on_memory(tokens_of(batch))));
  parts_.log->event(done + "_batch", {{"updates", state_.updates}, {"shape", shape}});
}

void Trainer::log_of_memory(const std::string& text) const {
  if (parts_.processes->is_first())
    log_warning(text);
  else
    log_error(text);
}

/// What --max-tokens would fit, by the batches that did.
std::string Trainer::advice_on_memory(int64_t tokens) const {
  const at::Device device = parts_.translator->parameters->values().device();
  const std::string recompute =
      options_.checkpoint_activations ? "" : ", or give --checkpoint-activations";
  return memory_.advice(tokens, nn::free_memory(device)) + recompute;
}

double Trainer::loss_divisor(const LossReport& sums) const {
  const LossNormalization by = options_.optimization.loss_normalization;
  if (by == LossNormalization::kSentences || options_.optimization.sentence_avg)
    return static_cast<double>(sums.sentences);
  return by == LossNormalization::kNone ? 1.0 : static_cast<double>(sums.tokens);
}

/// Whether an update is settled while the next one is on its way.
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
  const LossReport sums = accumulate_everywhere(group);
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

/// Gives an update to the device, which decides by itself whether it is a bad one.
void Trainer::begin_update(UpdateGroup group) {
  LossReport sums = sum_of(accumulate(group));
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

/// Whether something may follow the pending update that needs its result.
bool Trainer::must_settle_now() const {
  const auto is_due = [after = state_.updates + 1](int64_t every) {
    return every > 0 && after % every == 0;
  };
  if (!pending_ || is_due(parts_.log->log_interval()) ||
      is_due(options_.validation.validate_interval_updates) ||
      is_due(options_.checkpoints.save_interval_updates))
    return true;
  const bool is_asked = parts_.signals != nullptr && parts_.signals->has_request();
  return is_asked || all_batches_delivered() || limit(/*more_updates=*/1).has_value();
}

/// Counts the pending update, or that it was a bad one.
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

/// Of an update whose gradients had this norm; the optimizer has stepped.
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

/// The parameters are left as they are; too many in a row end the run before they can do harm.
void Trainer::skip_bad_update(const SentenceIds& sentence_ids, double norm) {
  ++state_.bad_updates;
  if (loss_scaler_)
    return skip_overflow();
  ++state_.bad_updates_in_a_row;
  const nlohmann::json ids = sentence_ids;
  log_warning(fmt::format("update {} skipped: the gradient norm is {}; first sentence {}",
                          state_.updates + 1,
                          norm,
                          sentence_ids.front().front() + 1));
  parts_.log->event("bad_update", {{"updates", state_.updates}, {"sentence_ids", ids}});
  if (state_.bad_updates_in_a_row < options_.optimization.max_bad_updates)
    return;
  std::string where;
  if (parts_.folder != nullptr) {
    where = parts_.folder->path() + "/diverged_batch.json";
    write_divergence(
        where, nlohmann::json{{"updates", state_.updates}, {"sentence_ids", ids}}.dump() + "\n");
  }
  throw DivergenceError(
      fmt::format(
          "{} consecutive updates had a loss or gradient that is not finite, starting at update {}",
          state_.bad_updates_in_a_row,
          state_.updates + 1),
      where.empty() ? "reduce --lr, clip with --clip-norm, or use a longer warm-up"
                    : "the sentences are in " + where +
                          "; reduce --lr, clip with --clip-norm, or use a longer warm-up; no "
                          "checkpoint was overwritten");
}

/// A gradient too large for fp16 is no error: the loss scale is reduced, and any number in a row
/// may follow until it reaches its minimum, which ends the run (DivergenceError).
void Trainer::skip_overflow() {
  loss_scaler_->note_overflow();
  log_info(fmt::format("update {} skipped: a gradient overflowed in fp16; the loss scale is {:g}",
                       state_.updates + 1,
                       loss_scale()));
  parts_.log->event("overflow", {{"updates", state_.updates}, {"loss_scale", loss_scale()}});
}

StopLimits Trainer::limits() const {
  const auto& o = options_.optimization;
  return {
      o.max_update, o.max_epoch, o.stop_time_hours, o.stop_min_lr, options_.validation.patience};
}

/// What would be reached after `more_updates` more.
std::optional<std::string> Trainer::limit(int64_t more_updates) const {
  return reached_limit(
      limits(),
      {state_.updates + more_updates,
       state_.finished_epochs,
       parts_.processes->is_alone() ? parts_.log->wall_seconds() : agreed_.wall_seconds,
       parts_.scheduler->rate(state_.updates + more_updates),
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
  if (validate_every > 0 && state_.updates % validate_every == 0)
    validate();
  checkpoints_.after_update(moment(), checkpoint_requested());
}

void Trainer::end_epoch() {
  ++state_.finished_epochs;
  parts_.log->epoch_end(place(), state_.epoch);
  state_.epoch = {};
  std::optional<double> value;
  if (state_.finished_epochs % options_.validation.validate_interval == 0)
    value = validate();
  parts_.scheduler->end_epoch(state_.updates, value);
  parts_.scheduler->begin_epoch(state_.finished_epochs + 1);
  checkpoints_.after_epoch(moment());
}

nlohmann::json Trainer::validation_scores() {
  const AverageInUse in_use(parts_.average);
  return parts_.validator->run();
}

/// The value of the metric for this update; nothing when there is no validation.
std::optional<double> Trainer::validate() {
  checkpoints_.forget_validation();
  const bool early = state_.updates < options_.validation.validate_after_updates;
  if (parts_.validator == nullptr || early)
    return std::nullopt;
  if (validated_at_ == state_.updates)
    return validated_value_;
  validated_at_ = state_.updates;
  nlohmann::json scores = validation_scores();
  const std::string& metric = options_.validation.best_checkpoint_metric;
  validated_value_ = scores.at(ValidationOptions::is_loss(metric) ? metric : "score").get<double>();
  checkpoints_.note_validation(state_.updates, validated_value_, best_.note(validated_value_));
  scores["best"] = *state_.best;
  scores["best_metric"] = metric;
  parts_.log->validation(place(), scores);
  return validated_value_;
}

void Trainer::write_checkpoint_to(const std::string& path) {
  const AverageInUse in_use(parts_.average);
  state_.scheduler = parts_.scheduler->state();
  if (loss_scaler_)
    state_.loss_scaler = loss_scaler_->state();
  TrainingParts parts;
  parts.translator = parts_.translator;
  parts.optimizer = options_.checkpoints.no_save_optimizer_state ? nullptr : parts_.optimizer;
  parts.state = &state_;
  if (parts_.average != nullptr && parts.optimizer != nullptr)
    parts.trained = parts_.average->other();
  parts.options = to_json(*options_.table);
  parts.position = parts_.batches->position();
  parts.processes = parts_.processes->size();
  write_train_checkpoint(path, parts);
}

void Trainer::require_same_options(const std::string& path, const TrainRecord& record) const {
  // What the data decides is compared as data: by its fingerprint.
  std::vector<std::string> allowed = names_from_data(*options_.table, *parts_.translator->task);
  if (batches_per_update(record.processes, recorded_update_freq(record)) ==
      batches_per_update(parts_.processes->size(), options_.optimization.update_freq))
    allowed.emplace_back("update-freq");
  const auto& given = options_.checkpoints.allow_changed;
  allowed.insert(allowed.end(), given.begin(), given.end());
  if (options_.checkpoints.reset_lr_scheduler) {
    for (const std::string& name : names_of_schedule(*options_.table)) allowed.push_back(name);
  }
  const auto changed = differences(*options_.table, record.options, allowed);
  if (changed.empty())
    return;
  throw UsageError(
      fmt::format(
          "{} was trained with different options:\n  - {}", path, fmt::join(changed, "\n  - ")),
      "use the old values, start from scratch in another --save-dir, or list the options in "
      "--allow-changed");
}

/// All processes begin with what the first one has: parameters, their average, the optimizer.
void Trainer::share_parameters() {
  ProcessGroup& processes = *parts_.processes;
  if (processes.is_alone())
    return;
  processes.take_from_first(parts_.translator->parameters->values());
  if (parts_.average != nullptr) {
    at::Tensor average = parts_.average->other();
    processes.take_from_first(average);
  }
  if (parts_.sharded != nullptr) {
    parts_.sharded->distribute();
  } else {
    for (auto& [name, tensor] : parts_.optimizer->state()) {
      at::Tensor moments = tensor;
      processes.take_from_first(moments);
    }
  }
  parts_.optimizer->set_steps(
      std::stoll(processes.text_of_first(std::to_string(parts_.optimizer->steps()))));
  parts_.translator->parameters->refresh_copy(options_.precision);
}

/// That an update now has another number of batches than when the checkpoint was written.
void Trainer::announce_processes(const TrainRecord& record) const {
  const int64_t now = parts_.processes->size();
  if (record.processes == now)
    return;
  const auto then_batches = batches_per_update(record.processes, recorded_update_freq(record));
  const auto now_batches = batches_per_update(now, options_.optimization.update_freq);
  const std::string change =
      fmt::format("trained with {} processes before, with {} now", record.processes, now);
  if (options_.optimization.accumulate_to_tokens > 0 || then_batches == now_batches) {
    log_info(change + ": updates consist of the same batches");
  } else {
    log_warning(
        fmt::format("{}: an update consists of {} batches, before of {} (processes times "
                    "--update-freq), at the "
                    "same learning rate",
                    change,
                    fmt::join(now_batches, ","),
                    fmt::join(then_batches, ",")));
  }
}

void Trainer::resume(const std::string& path,
                     const TrainRecord& record,
                     const CheckpointFile* file) {
  require_same_options(path, record);
  if (file != nullptr) {
    restore_training(*file,
                     record,
                     *parts_.translator,
                     options_.checkpoints.reset_optimizer ? nullptr : parts_.optimizer,
                     parts_.average);
  }
  announce_processes(record);
  state_ = record.state;
  is_new_model_ = false;
  if (!options_.checkpoints.reset_lr_scheduler)
    parts_.scheduler->restore(state_.scheduler);
  if (loss_scaler_ && !state_.loss_scaler.is_null() && !options_.checkpoints.reset_optimizer)
    loss_scaler_->restore(JsonEntry(state_.loss_scaler, path + ": the state of the loss scale"));
  if (!options_.checkpoints.reset_dataloader)
    parts_.batches->restore(record.position);
  if (options_.checkpoints.reset_meters) {
    state_.best.reset();
    state_.validations_without_better = 0;
  }
  parts_.translator->parameters->refresh_copy(options_.precision);
  log_info(fmt::format("resumed from {} at update {}, epoch {}, batch {}",
                       path,
                       state_.updates,
                       parts_.batches->epoch(),
                       parts_.batches->batches_delivered()));
  parts_.log->event("resume", {{"updates", state_.updates}, {"checkpoint", path}});
}

/// About a model that has learned little; not when a trained one was trained further.
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
  share_parameters();
  parts_.scheduler->begin_epoch(state_.finished_epochs + 1);
  parts_.log->begin(limits(), place());
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
  if (signalled() == 0) {
    log_info(fmt::format("training stops: {}", *limit()));
    if (validated_at_ != state_.updates && options_.validation.validate_interval_updates == 0)
      validate();
  }
  checkpoints_.at_end(moment());
  warn_of_result();
  return signalled();
}

}  // namespace phraseq

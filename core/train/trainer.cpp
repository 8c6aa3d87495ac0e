#include "core/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/random.h"
#include "core/data/options_from_data.h"
#include "core/io/atomic_file.h"
#include "core/optim/gradient.h"
#include "core/options/option_text.h"
#include "core/train/train_checkpoint.h"

namespace phraseq {

Trainer::Trainer(TrainerParts parts, TrainerOptions options)
    : parts_(parts), options_(std::move(options)) {}

double Trainer::learning_rate() const { return parts_.scheduler->rate(state_.updates); }

TrainingPlace Trainer::place() const {
  return {parts_.batches->epoch(),
          parts_.batches->batches_delivered(),
          parts_.batches->batches_in_epoch(),
          state_.updates,
          learning_rate()};
}

int64_t Trainer::group_size() const {
  const auto& list = options_.optimization.update_freq;
  const auto epoch = static_cast<size_t>(state_.finished_epochs);
  return list[std::min(epoch, list.size() - 1)];
}

bool Trainer::all_batches_delivered() const {
  return parts_.batches->batches_delivered() == parts_.batches->batches_in_epoch();
}

/// The batches of the next update; fewer than asked for where the epoch ends, none when it is over.
/// The iterator is asked for the end only with an empty group: the last, smaller group is an update
/// of its own, and a checkpoint behind it still stands at this epoch's end.
std::vector<Batch> Trainer::gather() {
  std::vector<Batch> group;
  const int64_t enough_tokens = options_.optimization.accumulate_to_tokens;
  int64_t tokens = 0;
  const auto full = [&] {
    return enough_tokens > 0 ? tokens >= enough_tokens
                             : static_cast<int64_t>(group.size()) >= group_size();
  };
  while (!full() && (group.empty() || !all_batches_delivered())) {
    auto batch = parts_.batches->next();
    if (!batch)
      break;
    tokens += batch->target_in.tokens();
    group.push_back(std::move(*batch));
  }
  return group;
}

LossReport Trainer::accumulate(const std::vector<Batch>& group) {
  nn::FlatParameters& parameters = *parts_.translator->parameters;
  parameters.zero_gradients();
  const uint64_t update_seed =
      mix_seeds(options_.seed, static_cast<uint64_t>(state_.updates + state_.bad_updates));
  LossReport sums;
  for (size_t i = 0; i < group.size(); ++i) {
    const Batch batch = group[i].to(parameters.values().device());
    nn::Context context(
        /*training=*/true, options_.precision, mix_seeds(update_seed, i), &parameters);
    const LossReport report =
        parts_.criterion->loss(parts_.translator->forward(batch, context), batch, context);
    report.loss.backward();
    sums.add(report);
  }
  return sums;
}

double Trainer::loss_divisor(const LossReport& sums) const {
  const std::string& by = options_.optimization.loss_normalization;
  if (by == "sentences" || options_.optimization.sentence_avg)
    return static_cast<double>(sums.sentences);
  return by == "none" ? 1.0 : static_cast<double>(sums.tokens);
}

void Trainer::update(const std::vector<Batch>& group) {
  const LossReport sums = accumulate(group);
  const double divisor = std::max(1.0, loss_divisor(sums));
  const double norm = gradient_norm(parts_.translator->parameters->gradients()) / divisor;
  if (!std::isfinite(norm) || !std::isfinite(sums.loss_sum))
    return skip_bad_update(group, norm);

  const double clip = clip_factor(norm, options_.optimization.clip_norm);
  parts_.optimizer->step(learning_rate(), clip / divisor);
  ++state_.updates;
  state_.bad_updates_in_a_row = 0;
  unsaved_ = true;
  for (IntervalSums* part : {&state_.interval, &state_.epoch}) {
    part->losses.add(sums);
    part->gradient_norm_sum += norm;
    part->updates += 1;
    part->clipped += clip < 1.0 ? 1 : 0;
  }
}

/// The parameters are left as they are; too many in a row end the run before they can do harm.
void Trainer::skip_bad_update(const std::vector<Batch>& group, double norm) {
  ++state_.bad_updates;
  ++state_.bad_updates_in_a_row;
  nlohmann::json ids = nlohmann::json::array();
  for (const Batch& batch : group) ids.push_back(batch.sentence_ids);
  log_warning(fmt::format("update {} skipped: the gradient's norm is {}; first sentence {}",
                          state_.updates + 1,
                          norm,
                          group.front().sentence_ids.front() + 1));
  parts_.log->event("bad_update", {{"updates", state_.updates}, {"sentence_ids", ids}});
  if (state_.bad_updates_in_a_row < options_.optimization.max_bad_updates)
    return;
  std::string where;
  if (parts_.folder != nullptr) {
    where = parts_.folder->path() + "/diverged_batch.json";
    write_file(where,
               nlohmann::json{{"updates", state_.updates}, {"sentence_ids", ids}}.dump() + "\n");
  }
  throw DivergenceError(
      fmt::format(
          "{} updates in a row gave a loss or gradient that is not finite, from update {} on",
          state_.bad_updates_in_a_row,
          state_.updates + 1),
      where.empty() ? "lower --lr, clip with --clip-norm, or warm up longer"
                    : "the sentences are in " + where +
                          "; lower --lr, clip with --clip-norm, or warm up longer; "
                          "no checkpoint was overwritten");
}

std::optional<std::string> Trainer::limit_text() const {
  const auto& o = options_.optimization;
  if (o.max_update > 0 && state_.updates >= o.max_update)
    return fmt::format("update {} of --max-update {}", state_.updates, o.max_update);
  if (o.max_epoch > 0 && state_.finished_epochs >= o.max_epoch)
    return fmt::format("epoch {} of --max-epoch {}", state_.finished_epochs, o.max_epoch);
  if (o.stop_time_hours > 0 && parts_.log->wall_seconds() >= 3600.0 * o.stop_time_hours)
    return fmt::format("--stop-time-hours {}", o.stop_time_hours);
  if (state_.updates > 0 && learning_rate() <= o.stop_min_lr)
    return fmt::format("the learning rate fell to --stop-min-lr {}", o.stop_min_lr);
  const int64_t patience = options_.validation.patience;
  if (patience > 0 && state_.validations_without_better >= patience)
    return fmt::format("{} validations without a better one (--patience {})",
                       state_.validations_without_better,
                       patience);
  return std::nullopt;
}

bool Trainer::limits_reached() const { return limit_text().has_value(); }

void Trainer::after_update() {
  parts_.log->tick(place(), state_.interval);
  // "updates" of the interval rather than of the run: a skipped update logs nothing twice.
  if (state_.interval.updates >= 1 && state_.updates % parts_.log->log_interval() == 0) {
    parts_.log->interval(place(), state_.interval);
    state_.interval = {};
  }
  const int64_t validate_every = options_.validation.validate_interval_updates;
  if (validate_every > 0 && state_.updates % validate_every == 0)
    validate();
  save_by_update();
}

void Trainer::end_epoch() {
  ++state_.finished_epochs;
  parts_.log->epoch_end(place(), state_.epoch);
  state_.epoch = {};
  if (state_.finished_epochs % options_.validation.validate_interval == 0)
    validate();
  save_by_epoch();
}

bool Trainer::is_better(double value, bool maximize) const {
  if (!state_.best)
    return true;
  return maximize ? value >= *state_.best : value <= *state_.best;
}

bool Trainer::chooses_by_loss() const {
  const std::string& metric = options_.validation.best_checkpoint_metric;
  return metric == "loss" || metric == "nll_loss";
}

bool Trainer::larger_is_better() const {
  const bool by_score = !chooses_by_loss() && parts_.validator != nullptr;
  return options_.validation.maximize_best_checkpoint_metric ||
         (by_score && parts_.validator->score_is_maximized());
}

void Trainer::note_best(const nlohmann::json& scores) {
  score_ = scores.at(chooses_by_loss() ? options_.validation.best_checkpoint_metric : "score")
               .get<double>();
  better_ = is_better(score_, larger_is_better());
  state_.validations_without_better = better_ ? 0 : state_.validations_without_better + 1;
  if (better_)
    state_.best = score_;
}

void Trainer::validate() {
  better_ = false;
  const bool early = state_.updates < options_.validation.validate_after_updates;
  if (parts_.validator == nullptr || early || validated_at_ == state_.updates)
    return;
  validated_at_ = state_.updates;
  nlohmann::json scores = parts_.validator->run();
  note_best(scores);
  scores["best"] = *state_.best;
  scores["best_metric"] = options_.validation.best_checkpoint_metric;
  parts_.log->validation(place(), scores);
}

void Trainer::write_checkpoint_to(const std::string& path) {
  TrainingParts parts;
  parts.translator = parts_.translator;
  parts.optimizer = options_.checkpoints.no_save_optimizer_state ? nullptr : parts_.optimizer;
  parts.state = &state_;
  parts.options = to_json(*options_.table);
  parts.position = parts_.batches->position();
  write_train_checkpoint(path, parts);
}

void Trainer::save(const std::string& path) {
  const auto& o = options_.checkpoints;
  if (parts_.folder == nullptr || (o.no_last_checkpoints && !better_))
    return;
  try {
    write_checkpoint_to(path);
    if (!o.no_last_checkpoints)
      parts_.folder->point("checkpoint_last", path);
    if (better_)
      parts_.folder->point("checkpoint_best", path);
    keep_and_delete(path);
    better_ = false;
    unsaved_ = false;
  } catch (const IoError& failure) {
    if (o.save_failure == "stop")
      throw;
    log_error(fmt::format("checkpoint not written, training goes on (--save-failure warn): {}",
                          failure.what()));
    parts_.log->event("save_failure", {{"updates", state_.updates}, {"what", failure.message()}});
  }
}

void Trainer::keep_and_delete(const std::string& path) {
  const auto& o = options_.checkpoints;
  const bool has_score = validated_at_ == state_.updates && std::isfinite(score_);
  if (o.keep_best_checkpoints > 0 && has_score) {
    parts_.folder->keep_as_best(path, options_.validation.best_checkpoint_metric, score_);
  }
  RetentionRules rules;
  rules.keep_interval_updates = o.save_interval_updates > 0 ? o.keep_interval_updates : 0;
  rules.keep_last_epochs = o.no_epoch_checkpoints ? 0 : o.keep_last_epochs;
  rules.keep_best_checkpoints = o.keep_best_checkpoints;
  parts_.folder->retain(rules, larger_is_better(), path);
}

void Trainer::save_by_update() {
  if (parts_.folder == nullptr)
    return;
  const int64_t every = options_.checkpoints.save_interval_updates;
  const bool asked = parts_.signals != nullptr && parts_.signals->take_checkpoint_request();
  const bool due = every > 0 && state_.updates % every == 0;
  if (due || better_ || asked)
    save(parts_.folder->update_path(parts_.batches->epoch(), state_.updates));
}

void Trainer::save_by_epoch() {
  if (parts_.folder == nullptr)
    return;
  const bool due = state_.finished_epochs % options_.checkpoints.save_interval == 0;
  if (due || better_)
    save(parts_.folder->epoch_path(state_.finished_epochs));
}

void Trainer::require_same_options(const std::string& path, const TrainRecord& record) const {
  // What the data decides is compared as data: by its fingerprint.
  std::vector<std::string> allowed = names_from_data(*options_.table, *parts_.translator->task);
  const auto& given = options_.checkpoints.allow_changed;
  allowed.insert(allowed.end(), given.begin(), given.end());
  const auto changed = differences(*options_.table, record.options, allowed);
  if (changed.empty())
    return;
  throw UsageError(
      fmt::format("{} was trained with other options:\n  - {}", path, fmt::join(changed, "\n  - ")),
      "give the old values, start anew in another --save-dir, or name the options in "
      "--allow-changed");
}

void Trainer::resume(const std::string& path) {
  const CheckpointFile file = CheckpointFile::open(path);
  const TrainRecord record = read_train_record(file);
  require_same_options(path, record);
  restore_training(file,
                   record,
                   *parts_.translator,
                   options_.checkpoints.reset_optimizer ? nullptr : parts_.optimizer);
  state_ = record.state;
  if (!options_.checkpoints.reset_dataloader)
    parts_.batches->restore(record.position);
  if (options_.checkpoints.reset_meters) {
    state_.best.reset();
    state_.validations_without_better = 0;
  }
  if (options_.precision == nn::Precision::kBf16)
    parts_.translator->parameters->refresh_bf16();
  log_info(fmt::format("resumed from {} at update {}, epoch {}, batch {}",
                       path,
                       state_.updates,
                       parts_.batches->epoch(),
                       parts_.batches->batches_delivered()));
  parts_.log->event("resume", {{"updates", state_.updates}, {"checkpoint", path}});
}

int Trainer::run() {
  if (parts_.batches->batches_in_epoch() == 0) {
    throw DataError(
        fmt::format("no sentence pair can be trained on: {}", parts_.batches->skipped().text()));
  }
  if (const auto limit = limit_text()) {
    log_info(fmt::format("nothing to do: at {}; raise the limit to go on", *limit));
    return 0;
  }
  const auto signalled = [&] {
    return parts_.signals == nullptr ? 0 : parts_.signals->requested();
  };
  while (!limits_reached() && signalled() == 0) {
    const std::vector<Batch> group = gather();
    if (group.empty()) {
      // A run resumed at an epoch's end has counted it already.
      if (state_.finished_epochs < parts_.batches->epoch())
        end_epoch();
      continue;
    }
    update(group);
    after_update();
  }
  if (signalled() == 0) {
    log_info(fmt::format("training ends: {}", *limit_text()));
    if (validated_at_ != state_.updates && options_.validation.validate_interval_updates == 0)
      validate();
  }
  if (unsaved_ && parts_.folder != nullptr)
    save(parts_.folder->update_path(parts_.batches->epoch(), state_.updates));
  return signalled();
}

}  // namespace phraseq

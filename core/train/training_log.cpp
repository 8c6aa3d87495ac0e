#include "core/train/training_log.h"

#include <cmath>
#include <cstring>
#include <ctime>
#include <numbers>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/train/options/machine_options.h"
#include "core/train/validation/best_score.h"
#include "core/train/validation/validation_result.h"

namespace phraseq {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Processor time of all threads of this process.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double per(double sum, int64_t count) {
  return count == 0 ? 0.0 : sum / static_cast<double>(count);
}

WorkDone work_of(const IntervalSums& sums) { return {sums.losses.tokens, sums.updates}; }

/// The speeds of the work in `sums`, except the work `before`.
nlohmann::json speeds(const IntervalSums& sums, const WorkDone& before, double seconds) {
  const auto per_second = [&](int64_t all, int64_t earlier) {
    return seconds > 0 ? static_cast<double>(all - earlier) / seconds : 0.0;
  };
  return {{"seconds", seconds},
          {"tokens_per_second", per_second(sums.losses.tokens, before.tokens)},
          {"updates_per_second", per_second(sums.updates, before.updates)}};
}

/// The numbers of an interval or an epoch; losses in nats per target token.
nlohmann::json numbers(const TrainingProgress& progress, const IntervalSums& sums) {
  const LossReport& losses = sums.losses;
  const double nll = per(losses.nll_sum, losses.tokens);
  nlohmann::json record = {
      {"epoch", progress.epoch},
      {"batch", progress.batch},
      {"batches", progress.batches},
      {"updates", progress.updates},
      {"loss", per(losses.loss_sum, losses.tokens)},
      {"nll_loss", nll},
      {"ppl", std::exp(nll)},
      {"lr", progress.learning_rate},
      {"gradient_norm", per(sums.gradient_norm_sum, sums.updates)},
      {"clipped", per(static_cast<double>(sums.clipped), sums.updates)},
      {"tokens", losses.tokens},
      {"sentences", losses.sentences},
      {"tokens_per_update", per(static_cast<double>(losses.tokens), sums.updates)},
      {"sentences_per_update", per(static_cast<double>(losses.sentences), sums.updates)}};
  if (progress.loss_scale)
    record["loss_scale"] = *progress.loss_scale;
  for (const auto& [name, value] : losses.extras_per_token()) record[name] = value;
  return record;
}

/// ", loss_scale=128, accuracy=0.4907": the numbers of a record that not every run has.
std::string further_numbers(const nlohmann::json& r) {
  std::string text;
  if (r.contains("loss_scale"))
    text += fmt::format(", loss_scale={:g}", r["loss_scale"].get<double>());
  if (r.contains(kCorrectPerToken))
    text += fmt::format(", accuracy={:.4f}", r[kCorrectPerToken].get<double>());
  return text;
}

/// A line as fairseq prints it, with its names and base-2 losses.
std::string human_line(const nlohmann::json& r) {
  const double bits = 1.0 / std::numbers::ln2;
  return fmt::format(
      "loss={:.3f}, nll_loss={:.3f} (base 2), ppl={:.2f}, wps={:.0f}, ups={:.2f}, wpb={:.0f}, "
      "bsz={:.1f}, num_updates={}, lr={:.6g}, gnorm={:.3f}, clip={:.1f}{}",
      r["loss"].get<double>() * bits,
      r["nll_loss"].get<double>() * bits,
      r["ppl"].get<double>(),
      r["tokens_per_second"].get<double>(),
      r["updates_per_second"].get<double>(),
      r["tokens_per_update"].get<double>(),
      r["sentences_per_update"].get<double>(),
      r["updates"].get<int64_t>(),
      r["lr"].get<double>(),
      r["gradient_norm"].get<double>(),
      100.0 * r["clipped"].get<double>(),
      further_numbers(r));
}

/// " | best_loss 3.123", losses in base 2; "" before the first result.
std::string best_text(const TrainingProgress& progress) {
  if (!progress.best)
    return "";
  return " | best_" + score_text(progress.best_metric, *progress.best);
}

std::string validation_line(const TrainingProgress& progress,
                            const ValidationResult& result,
                            const std::string& best) {
  const std::string score =
      result.score ? fmt::format(" | {} {:.2f}", result.score->name, result.score->value) : "";
  return fmt::format("epoch {:03} | valid on '{}' subset{}{}{} | num_updates {}{}{}",
                     progress.epoch,
                     result.subset,
                     losses_text(result.losses),
                     accuracy_text(result.losses),
                     score,
                     progress.updates,
                     best,
                     part_lines(result));
}

}  // namespace

TrainingLog::Style TrainingLog::style_from(const MachineOptions& options) {
  if (options.quiet || options.log_format == LogFormat::kNone)
    return Style::kNone;
  if (options.log_format == LogFormat::kJson)
    return Style::kJson;
  const bool asks_for_bar =
      options.log_format == LogFormat::kBar || options.log_format == LogFormat::kTqdm;
  const bool bar =
      asks_for_bar || (options.log_format == LogFormat::kAuto && isatty(STDERR_FILENO) != 0);
  return bar && !options.no_progress_bar ? Style::kBar : Style::kSimple;
}

TrainingLog::TrainingLog(const MachineOptions& options, const std::string& folder)
    : style_(style_from(options)),
      log_interval_(options.log_interval),
      processor_start_(processor_seconds()),
      start_(Clock::now()),
      interval_start_(start_),
      epoch_start_(start_) {
  if (!options.tensorboard_logdir.empty())
    tensorboard_ = std::make_unique<tensorboard::TensorBoardLog>(options.tensorboard_logdir);
  if (folder.empty())
    return;
  metrics_ = std::make_unique<LineFile>(folder + "/metrics.jsonl", LineFile::TornLine::kRemove);
}

TrainingLog::~TrainingLog() { bar_.clear(); }

double TrainingLog::wall_seconds() const { return seconds_since(start_); }

void TrainingLog::write(const nlohmann::json& fields) {
  if (metrics_ == nullptr)
    return;
  const int problem = metrics_->append(fields.dump() + "\n");
  if (problem != 0) {
    log_warning(
        fmt::format("{}: cannot write: {}; training continues, and the lines are written "
                    "when it is possible again",
                    metrics_->path(),
                    std::strerror(problem)));
  }
}

void TrainingLog::begin(const StopLimits& limits,
                        const TrainingProgress& progress,
                        const TrainState& state) {
  bar_.begin(limits, progress);
  interval_before_ = work_of(state.interval);
  bar_.leave_out(interval_before_.tokens);
  epoch_before_ = work_of(state.epoch);
}

void TrainingLog::tick(const TrainingProgress& progress, const IntervalSums& sums) {
  if (style_ == Style::kBar)
    bar_.show(progress, sums, seconds_since(interval_start_));
}

void TrainingLog::record(const std::string& event, nlohmann::json fields, const Line& line) {
  fields["event"] = event;
  fields["wall"] = wall_seconds();
  fields["processor"] = processor_seconds() - processor_start_;
  write(fields);
  if (tensorboard_)
    tensorboard_->record(fields);
  if (style_ == Style::kNone || !line)
    return;
  bar_.clear();
  log_info(style_ == Style::kJson ? fields.dump() : line(fields));
}

void TrainingLog::interval(const TrainingProgress& progress, const IntervalSums& sums) {
  nlohmann::json fields = numbers(progress, sums);
  fields.update(speeds(sums, interval_before_, seconds_since(interval_start_)));
  interval_start_ = Clock::now();
  interval_before_ = {};
  bar_.leave_out(0);
  record("train", std::move(fields), [&](const nlohmann::json& written) {
    return fmt::format("epoch {:03}: {:6} / {} {}, wall={:.0f}",
                       progress.epoch,
                       progress.batch,
                       progress.batches,
                       human_line(written),
                       wall_seconds());
  });
}

void TrainingLog::epoch_end(const TrainingProgress& progress, const IntervalSums& sums) {
  nlohmann::json fields = numbers(progress, sums);
  fields.update(speeds(sums, epoch_before_, seconds_since(epoch_start_)));
  epoch_start_ = Clock::now();
  epoch_before_ = {};
  record("epoch", std::move(fields), [&](const nlohmann::json& written) {
    return fmt::format("epoch {:03} | train | {}, wall={:.0f}",
                       progress.epoch,
                       human_line(written),
                       wall_seconds());
  });
}

void TrainingLog::record_validation(const std::string& event,
                                    const TrainingProgress& progress,
                                    nlohmann::json fields,
                                    const ValidationResult& result,
                                    const std::string& best) {
  fields["epoch"] = progress.epoch;
  fields["updates"] = progress.updates;
  record(event, std::move(fields), [&](const nlohmann::json& /*written*/) {
    return validation_line(progress, result, best);
  });
}

void TrainingLog::validation(const TrainingProgress& progress, const ValidationResult& result) {
  nlohmann::json fields = result.to_json();
  if (progress.best)
    fields["best"] = *progress.best;
  fields["best_metric"] = progress.best_metric;
  record_validation("valid", progress, std::move(fields), result, best_text(progress));
}

void TrainingLog::further_validation(const TrainingProgress& progress,
                                     const ValidationResult& result) {
  record_validation("valid_further", progress, result.to_json(), result, /*best=*/"");
}

void TrainingLog::event(const std::string& name, nlohmann::json fields) {
  record(name, std::move(fields), nullptr);
}

}  // namespace phraseq

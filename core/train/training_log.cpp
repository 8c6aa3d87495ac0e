#include "core/train/training_log.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <numbers>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/train/train_options.h"
#include "core/train/validation/validator.h"

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

/// The work of `sums` but `before`.
nlohmann::json speeds(const IntervalSums& sums, const WorkDone& before, double seconds) {
  const auto per_second = [&](int64_t all, int64_t earlier) {
    return seconds > 0 ? static_cast<double>(all - earlier) / seconds : 0.0;
  };
  return {{"seconds", seconds},
          {"tokens_per_second", per_second(sums.losses.tokens, before.tokens)},
          {"updates_per_second", per_second(sums.updates, before.updates)}};
}

/// The numbers of an interval or an epoch; losses in nats per target token.
nlohmann::json numbers(const TrainingPlace& place, const IntervalSums& sums) {
  const LossReport& losses = sums.losses;
  const double nll = per(losses.nll_sum, losses.tokens);
  nlohmann::json record = {
      {"epoch", place.epoch},
      {"batch", place.batch},
      {"batches", place.batches},
      {"updates", place.updates},
      {"loss", per(losses.loss_sum, losses.tokens)},
      {"nll_loss", nll},
      {"ppl", std::exp(nll)},
      {"lr", place.learning_rate},
      {"gradient_norm", per(sums.gradient_norm_sum, sums.updates)},
      {"clipped", per(static_cast<double>(sums.clipped), sums.updates)},
      {"tokens", losses.tokens},
      {"sentences", losses.sentences},
      {"tokens_per_update", per(static_cast<double>(losses.tokens), sums.updates)}};
  if (place.loss_scale)
    record["loss_scale"] = *place.loss_scale;
  for (const auto& [name, share] : losses.extras_per_token()) record[name] = share;
  return record;
}

/// fairseq's line, with its names and its base-2 losses.
std::string human_line(const nlohmann::json& r) {
  const double bits = 1.0 / std::numbers::ln2;
  const std::string scale = r.contains("loss_scale")
                                ? fmt::format(", loss_scale={:g}", r["loss_scale"].get<double>())
                                : "";
  return fmt::format(
      "loss={:.3f}, nll_loss={:.3f} (base 2), ppl={:.2f}, wps={:.0f}, ups={:.2f}, wpb={:.0f}, "
      "num_updates={}, lr={:.6g}, gnorm={:.3f}, clip={:.1f}{}",
      r["loss"].get<double>() * bits,
      r["nll_loss"].get<double>() * bits,
      r["ppl"].get<double>(),
      r["tokens_per_second"].get<double>(),
      r["updates_per_second"].get<double>(),
      r["tokens_per_update"].get<double>(),
      r["updates"].get<int64_t>(),
      r["lr"].get<double>(),
      r["gradient_norm"].get<double>(),
      100.0 * r["clipped"].get<double>(),
      scale);
}

std::string validation_line(const nlohmann::json& r) {
  const double bits = 1.0 / std::numbers::ln2;
  std::string line = fmt::format("epoch {:03} | valid on '{}'{}",
                                 r["epoch"].get<int64_t>(),
                                 r.value("subset", ""),
                                 losses_text(r));
  if (r.contains("score"))
    line +=
        fmt::format(" | {} {:.2f}", r["score_name"].get<std::string>(), r["score"].get<double>());
  const std::string metric = r.value("best_metric", "loss");
  line += fmt::format(" | num_updates {}", r["updates"].get<int64_t>());
  if (r.contains("best"))
    line +=
        fmt::format(" | best_{} {:.3f}",
                    metric,
                    r["best"].get<double>() * (ValidationOptions::is_loss(metric) ? bits : 1.0));
  return line + part_lines(r);
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
                        const TrainingPlace& place,
                        const TrainState& state) {
  bar_.begin(limits, place, wall_seconds());
  interval_before_ = work_of(state.interval);
  bar_.leave_out(interval_before_.tokens);
  epoch_before_ = work_of(state.epoch);
}

void TrainingLog::tick(const TrainingPlace& place, const IntervalSums& sums) {
  if (style_ == Style::kBar)
    bar_.show(place, sums, wall_seconds(), seconds_since(interval_start_));
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

void TrainingLog::interval(const TrainingPlace& place, const IntervalSums& sums) {
  nlohmann::json fields = numbers(place, sums);
  fields.update(speeds(sums, interval_before_, seconds_since(interval_start_)));
  interval_start_ = Clock::now();
  interval_before_ = {};
  bar_.leave_out(0);
  record("train", std::move(fields), [&](const nlohmann::json& written) {
    return fmt::format("epoch {:03}: {:6} / {} {}, wall={:.0f}",
                       place.epoch,
                       place.batch,
                       place.batches,
                       human_line(written),
                       wall_seconds());
  });
}

void TrainingLog::epoch_end(const TrainingPlace& place, const IntervalSums& sums) {
  nlohmann::json fields = numbers(place, sums);
  fields.update(speeds(sums, epoch_before_, seconds_since(epoch_start_)));
  epoch_start_ = Clock::now();
  epoch_before_ = {};
  record("epoch", std::move(fields), [&](const nlohmann::json& written) {
    return fmt::format(
        "epoch {:03} | train | {}, wall={:.0f}", place.epoch, human_line(written), wall_seconds());
  });
}

void TrainingLog::record_validation(const std::string& event,
                                    const TrainingPlace& place,
                                    nlohmann::json scores) {
  scores["epoch"] = place.epoch;
  scores["updates"] = place.updates;
  record(event, std::move(scores), validation_line);
}

void TrainingLog::validation(const TrainingPlace& place, const nlohmann::json& scores) {
  record_validation("valid", place, scores);
}

void TrainingLog::further_validation(const TrainingPlace& place, const nlohmann::json& scores) {
  record_validation("valid_further", place, scores);
}

void TrainingLog::event(const std::string& name, nlohmann::json fields) {
  record(name, std::move(fields), nullptr);
}

}  // namespace phraseq

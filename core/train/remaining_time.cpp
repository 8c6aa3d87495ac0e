#include "core/train/remaining_time.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace phraseq {
namespace {

/// The seconds that `left` takes at the speed of `done` per `seconds`; nothing if nothing was done.
std::optional<double> extrapolated(double left, double done, double seconds) {
  if (done <= 0)
    return std::nullopt;
  return std::max(0.0, left) * seconds / done;
}

std::optional<double> earlier(std::optional<double> a, std::optional<double> b) {
  if (!a || !b)
    return a ? a : b;
  return std::min(*a, *b);
}

/// Number of the current epoch, counted from 1.
int64_t epoch_number(const TrainingProgress& now) {
  return std::max<int64_t>(1, static_cast<int64_t>(std::ceil(now.epochs())));
}

}  // namespace

RemainingTime::RemainingTime(const StopLimits& limits, const TrainingProgress& start)
    : limits_(limits), start_(start) {}

std::optional<double> RemainingTime::until_epochs(const TrainingProgress& now) const {
  if (limits_.max_epoch <= 0)
    return std::nullopt;
  return extrapolated(static_cast<double>(limits_.max_epoch) - now.epochs(),
                      now.epochs() - start_.epochs(),
                      now.wall_seconds - start_.wall_seconds);
}

std::optional<double> RemainingTime::until_updates(const TrainingProgress& now) const {
  if (limits_.max_update <= 0)
    return std::nullopt;
  return extrapolated(static_cast<double>(limits_.max_update - now.updates),
                      static_cast<double>(now.updates - start_.updates),
                      now.wall_seconds - start_.wall_seconds);
}

std::optional<double> RemainingTime::seconds(const TrainingProgress& now) const {
  const auto by_work = earlier(until_epochs(now), until_updates(now));
  if (limits_.stop_time_hours <= 0)
    return by_work;
  return earlier(by_work, std::max(0.0, 3600 * limits_.stop_time_hours - now.wall_seconds));
}

bool RemainingTime::ends_by_updates(const TrainingProgress& now) const {
  if (limits_.max_update <= 0 || limits_.max_epoch <= 0)
    return limits_.max_update > 0;
  const auto epochs = until_epochs(now);
  const auto updates = until_updates(now);
  return updates && epochs && *updates < *epochs;
}

std::string RemainingTime::position_text(const TrainingProgress& now) const {
  if (ends_by_updates(now))
    return fmt::format("update {} of {}", now.updates, limits_.max_update);
  if (limits_.max_epoch > 0)
    return fmt::format("epoch {} of {}", epoch_number(now), limits_.max_epoch);
  return fmt::format("epoch {}", epoch_number(now));
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(std::max(0.0, seconds)));
  const int64_t hours = whole / 3600;
  const int64_t minutes = whole / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
                   : fmt::format("{}:{:02}", minutes, whole % 60);
}

}  // namespace phraseq

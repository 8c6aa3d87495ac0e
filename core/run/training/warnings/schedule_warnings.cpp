#include "core/run/training/warnings/schedule_warnings.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/base/wording/counted.h"
#include "core/run/training/warnings/option_is_set.h"

namespace phraseq {
namespace {

/// The smaller of the two numbers of updates, where 0 means no limit.
int64_t earlier_end(const ChangedLength& length) {
  const auto [shorter, longer] = std::minmax(length.then, length.now);
  return shorter > 0 ? shorter : longer;
}

/// The option with the length of the warm-up in updates; null for a schedule without such an
/// option.
const OptionField* warmup_field(const OptionTable& table) {
  if (const OptionField* const updates = table.find("warmup-updates"))
    return updates;
  return is_set(table, "phase-ratio") ? nullptr : table.find("warmup-steps");
}

/// The setting with which less of the initial parameters remains after `averaged` updates of the
/// average.
std::string smaller_average(double averaged) {
  constexpr double kFewDecays = 10, kSmallest = 0.5;
  if (averaged == 0)
    return "a smaller --ema-update-freq";
  return fmt::format("--ema-decay {:.2g} or less", std::max(kSmallest, 1 - kFewDecays / averaged));
}

}  // namespace

void warn_of_warmup(std::optional<int64_t> run_length, const OptionTable& table) {
  const OptionField* const field = warmup_field(table);
  if (field == nullptr || !run_length || !std::holds_alternative<int64_t*>(field->target))
    return;
  const int64_t warmup = *std::get<int64_t*>(field->target);
  if (warmup < *run_length || *run_length == 1)  // a run of one update is a trial
    return;
  log_warning(fmt::format(
      "the run has {} and ends within the warm-up of {}: the learning rate never reaches "
      "its peak. Use --{} {}, or train for longer",
      counted(*run_length, "update"),
      warmup,
      field->name,
      std::max<int64_t>(1, *run_length / 10)));
}

void warn_of_average(std::optional<int64_t> run_length, const MovingAverageOptions& average) {
  constexpr double kMuch = 0.5;
  if (!average.enabled() || average.ema_start_update > 0 || !run_length)
    return;
  const auto averaged = static_cast<double>(*run_length / average.ema_update_freq);
  const double share = std::pow(average.decay(), averaged);
  if (share <= kMuch)
    return;
  log_warning(fmt::format(
      "after the {} of this run, {:.0f} % of the moving average (--store-ema) would still be the "
      "initial parameters. Use {}, or train for longer",
      counted(*run_length, "update"),
      100 * share,
      smaller_average(averaged)));
}

void warn_of_unused_rate(const LrScheduler& scheduler,
                         const LrScheduler& with_other_rate,
                         const OptionTable& table) {
  constexpr int64_t kUpdates[] = {0, 1, 10, 1000, 100000};
  const bool is_used = std::ranges::any_of(kUpdates, [&](int64_t updates) {
    return scheduler.rate(updates) != with_other_rate.rate(updates);
  });
  if (is_used)
    return;
  log_warning(fmt::format("--lr has no effect with --lr-scheduler {}{}",
                          table.find("lr-scheduler")->to_text(),
                          table.find("lr-scale") == nullptr
                              ? ""
                              : ": --lr-scale multiplies the rates of this schedule"));
}

void warn_of_schedule(const LrScheduler& then,
                      const LrScheduler& now,
                      const ChangedLength& length) {
  const int64_t first = length.updates;
  const int64_t last = std::max(first, earlier_end(length));
  for (const int64_t updates : {first, first + (last - first) / 2, last}) {
    if (then.rate(updates) == now.rate(updates))
      continue;
    return log_warning(fmt::format(
        "--max-update was {}, now {}, which also changes the length of the learning rate schedule: "
        "update {} has a rate of {:g} instead of {:g}. To keep the schedule, set its length with "
        "its own option (--total-num-update, --lr-period-updates, or the numbers of steps), and "
        "name that option in --allow-changed",
        length.then,
        length.now,
        updates + 1,
        now.rate(updates),
        then.rate(updates)));
  }
}

}  // namespace phraseq

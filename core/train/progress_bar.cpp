#include "core/train/progress_bar.h"

#include <algorithm>
#include <cstdio>
#include <numbers>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <sys/ioctl.h>

#include "core/io/standard_streams.h"
#include "core/train/validation/best_score.h"

namespace phraseq {
namespace {

constexpr int kBarWidth = 20;
constexpr size_t kUsualColumns = 120;

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

std::string drawn(double fraction) {
  const int filled = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * kBarWidth);
  return fmt::format("[{:#>{}}{:.>{}}]", "", filled, "", kBarWidth - filled);
}

size_t terminal_columns() {
  winsize size{};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : kUsualColumns;
}

/// Joins the parts, in order, as many as fit.
std::string joined(const std::vector<std::string>& parts, size_t columns) {
  std::string line;
  for (const std::string& part : parts) {
    const std::string longer = line.empty() ? part : line + " | " + part;
    if (longer.size() >= columns)
      break;
    line = longer;
  }
  return line;
}

}  // namespace

void ProgressBar::begin(const StopLimits& limits, const TrainingProgress& progress) {
  limits_ = limits;
  remaining_time_.emplace(limits, progress);
}

std::string ProgressBar::text(const TrainingProgress& progress,
                              const IntervalSums& sums,
                              double interval_seconds,
                              size_t columns) const {
  const RemainingTime remaining_time = remaining_time_.value_or(RemainingTime(limits_, {}));
  const std::string position = remaining_time.position_text(progress);
  const bool by_updates = remaining_time.ends_by_updates(progress);
  const double done = by_updates ? ratio(static_cast<double>(progress.updates),
                                         static_cast<double>(limits_.max_update))
                                 : progress.fraction_of_epoch();
  const auto remaining = remaining_time.seconds(progress);
  const auto tokens = static_cast<double>(sums.losses.tokens);
  std::vector<std::string> parts = {
      position + " " + drawn(done) +
          (by_updates ? "" : fmt::format(" {}/{}", progress.batch, progress.batches)),
      remaining ? duration_text(*remaining) + " left" : "",
      fmt::format("loss {:.3f}", ratio(sums.losses.loss_sum, tokens) / std::numbers::ln2),
      progress.best ? "best " + score_text(progress.best_metric, *progress.best) : "",
      by_updates ? "" : fmt::format("updates {}", progress.updates),
      fmt::format("lr {:.3g}", progress.learning_rate),
      fmt::format("{:.0f} tokens/s",
                  ratio(tokens - static_cast<double>(earlier_tokens_), interval_seconds))};
  std::erase(parts, "");
  return joined(parts, columns);
}

void ProgressBar::show(const TrainingProgress& progress,
                       const IntervalSums& sums,
                       double interval_seconds) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(200))
    return;
  last_ = now;
  write_to_standard_error(
      fmt::format("\r{}\033[K", text(progress, sums, interval_seconds, terminal_columns())));
  shown_ = true;
}

void ProgressBar::clear() {
  if (shown_)
    std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace phraseq

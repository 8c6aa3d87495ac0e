#include "core/optim/schedules/reduce_on_plateau.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

constexpr double kMinChange = 1e-8;  // torch's `eps`: a smaller reduction is skipped
constexpr double kMaxEpochs = 1e15;  // exact as a double

/// A number of epochs from the state in a checkpoint.
int64_t epochs_of(double stored) {
  if (stored >= 0 && stored <= kMaxEpochs && stored == std::floor(stored))
    return static_cast<int64_t>(stored);
  throw FormatError(fmt::format("the state of the learning-rate schedule: bad_epochs is {}, "
                                "expected a number of epochs",
                                stored),
                    "--reset-lr-scheduler starts with a new schedule.");
}

}  // namespace

void ReduceOnPlateauOptions::describe(OptionTable& table) {
  table.field("lr-shrink", lr_shrink, "Factor by which the learning rate is reduced.").in(0, 1);
  table
      .field("lr-threshold",
             lr_threshold,
             "Relative change of the validation metric that counts as an improvement.")
      .at_least(0);
  table
      .field("lr-patience",
             lr_patience,
             "Number of epochs without improvement after which the learning rate is reduced.")
      .at_least(0);
  table
      .field("warmup-updates",
             warmup_updates,
             "Warm up the learning rate linearly for the first N updates.")
      .value_name("N")
      .at_least(0);
  table.field(
      "warmup-init-lr", warmup_init_lr, "Initial learning rate of the warm-up; below 0 = 0.");
}

ReduceOnPlateau::ReduceOnPlateau(const ReduceOnPlateauOptions& options,
                                 const LrSchedulerSetup& setup)
    : options_(options),
      peak_(setup.lr),
      init_(std::max(options.warmup_init_lr, 0.0)),
      larger_is_better_(setup.larger_is_better),
      lr_(setup.lr) {}

double ReduceOnPlateau::rate(int64_t finished_updates) const {
  if (options_.warmup_updates == 0 || finished_updates > options_.warmup_updates)
    return lr_;
  const double step = (peak_ - init_) / static_cast<double>(options_.warmup_updates);
  return init_ + static_cast<double>(finished_updates) * step;
}

bool ReduceOnPlateau::is_better(double value) const {
  if (!std::isfinite(value))
    return false;
  if (!best_)
    return true;
  return larger_is_better_ ? value > *best_ * (1 + options_.lr_threshold)
                           : value < *best_ * (1 - options_.lr_threshold);
}

void ReduceOnPlateau::end_epoch(int64_t finished_updates, std::optional<double> value) {
  if (!value || (options_.warmup_updates > 0 && finished_updates <= options_.warmup_updates))
    return;
  if (is_better(*value)) {
    best_ = value;
    bad_epochs_ = 0;
    return;
  }
  if (++bad_epochs_ <= options_.lr_patience)
    return;
  bad_epochs_ = 0;
  const double reduced = lr_ * options_.lr_shrink;
  if (lr_ - reduced > kMinChange)
    lr_ = reduced;
}

std::map<std::string, double> ReduceOnPlateau::state() const {
  std::map<std::string, double> state = {{"lr", lr_},
                                         {"bad_epochs", static_cast<double>(bad_epochs_)}};
  if (best_)
    state["best"] = *best_;
  return state;
}

void ReduceOnPlateau::restore(const std::map<std::string, double>& state) {
  if (state.contains("lr"))
    lr_ = state.at("lr");
  if (state.contains("bad_epochs"))
    bad_epochs_ = epochs_of(state.at("bad_epochs"));
  if (state.contains("best"))
    best_ = state.at("best");
}

void ReduceOnPlateau::forget_values() {
  best_.reset();
  bad_epochs_ = 0;
}

}  // namespace phraseq

#include "core/optim/schedules/learning_rates.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

OptionField& describe_warmup(OptionTable& table, int64_t& warmup_updates) {
  return table
      .field("warmup-updates",
             warmup_updates,
             "Warm up the learning rate linearly for the first N updates.")
      .value_name("N");
}

double linear(double from, double to, double done, double of) {
  return from + done * (to - from) / of;
}

/// The length of a schedule that ends: as given, otherwise --max-update.
double schedule_length(const char* option, int64_t given, int64_t max_update, int64_t warmup) {
  const int64_t length = given > 0 ? given : max_update;
  if (length <= 0) {
    throw UsageError(fmt::format("--{}: the length of the schedule is not known", option),
                     fmt::format("Set --{} or --max-update.", option));
  }
  if (length <= warmup) {
    throw UsageError(
        fmt::format("--{}: the schedule of {} updates ends within the {} of its warm-up",
                    option,
                    length,
                    warmup),
        fmt::format("Set --{} or --max-update to more than --warmup-updates.", option));
  }
  return static_cast<double>(length);
}

}  // namespace

void ConstantRateOptions::describe(OptionTable& table) {
  describe_warmup(table, warmup_updates).at_least(0);
  table
      .field("force-anneal",
             force_anneal,
             "Multiply the last learning rate by --lr-shrink in every epoch from this one on; 0 = "
             "never.")
      .at_least(0);
  table
      .field("lr-shrink",
             lr_shrink,
             "Factor that multiplies the learning rate in every epoch from --force-anneal on.")
      .in(0, 1);
}

ConstantRate::ConstantRate(const ConstantRateOptions& options, const LrSchedulerSetup& setup)
    : options_(options), list_(setup.lr_list), lr_(setup.lr) {
  if (list_.empty())
    list_.push_back(setup.lr);
  begin_epoch(1);
}

void ConstantRate::begin_epoch(int64_t epoch) {
  if (options_.force_anneal > 0 && epoch >= options_.force_anneal) {
    const auto shrinks = static_cast<double>(epoch + 1 - options_.force_anneal);
    lr_ = list_.back() * std::pow(options_.lr_shrink, shrinks);
  } else {
    lr_ = list_[std::min(static_cast<size_t>(epoch - 1), list_.size() - 1)];
  }
}

double ConstantRate::rate(int64_t finished_updates) const {
  if (finished_updates >= options_.warmup_updates)
    return lr_;
  return lr_ * static_cast<double>(finished_updates + 1) /
         static_cast<double>(options_.warmup_updates);
}

void InverseSqrtOptions::describe(OptionTable& table) {
  describe_warmup(table, warmup_updates).at_least(1);
  table.field(
      "warmup-init-lr", warmup_init_lr, "Initial learning rate of the warm-up; below 0 = 0.");
}

InverseSqrt::InverseSqrt(const InverseSqrtOptions& options, const LrSchedulerSetup& setup)
    : warmup_(static_cast<double>(options.warmup_updates)),
      init_(std::max(options.warmup_init_lr, 0.0)),
      lr_(setup.lr) {}

double InverseSqrt::rate(int64_t finished_updates) const {
  const auto n = static_cast<double>(finished_updates);
  return n < warmup_ ? linear(init_, lr_, n, warmup_) : lr_ * std::sqrt(warmup_ / n);
}

void NoamOptions::describe(OptionTable& table) {
  describe_warmup(table, warmup_updates).at_least(1);
  table.field("lr-scale", lr_scale, "Factor that multiplies the whole schedule.").at_least(0);
}

Noam::Noam(const NoamOptions& options, const LrSchedulerSetup& setup)
    : warmup_(static_cast<double>(options.warmup_updates)) {
  if (setup.model_width <= 0) {
    throw UsageError("--lr-scheduler noam: the architecture does not declare a model width",
                     "Use another --lr-scheduler, such as inverse_sqrt.");
  }
  factor_ = options.lr_scale / std::sqrt(static_cast<double>(setup.model_width));
}

double Noam::rate(int64_t finished_updates) const {
  const auto step = static_cast<double>(finished_updates + 1);
  return factor_ * std::min(1 / std::sqrt(step), step * std::pow(warmup_, -1.5));
}

void CosineOptions::describe(OptionTable& table) {
  describe_warmup(table, warmup_updates).at_least(0);
  table.field("warmup-init-lr",
              warmup_init_lr,
              "Initial learning rate of the warm-up; below 0 = --min-lr.");
  table.field("min-lr", min_lr, "Minimum learning rate, reached at the end of the first period.")
      .at_least(0);
  table.field("t-mult", t_mult, "Factor by which the length of each period grows.").at_least(1);
  table.field(
      "lr-period-updates",
      lr_period_updates,
      "Number of updates of the first period; default: --max-update minus --warmup-updates.");
  table
      .field("lr-shrink", lr_shrink, "Factor by which the learning rates shrink after each period.")
      .in(0, 1);
}

Cosine::Cosine(const CosineOptions& options, const LrSchedulerSetup& setup)
    : options_(options), lr_(setup.lr), period_(static_cast<double>(options.lr_period_updates)) {
  if (options.min_lr > setup.lr) {
    throw UsageError(fmt::format("--lr-scheduler cosine: --min-lr {:g} is greater than --lr {:g}",
                                 options.min_lr,
                                 setup.lr));
  }
  if (options.lr_period_updates <= 0) {
    period_ = schedule_length("lr-period-updates", -1, setup.max_update, options.warmup_updates) -
              static_cast<double>(options.warmup_updates);
  }
  init_ = options.warmup_init_lr < 0 ? options.min_lr : options.warmup_init_lr;
}

double Cosine::rate(int64_t finished_updates) const {
  const auto warmup = static_cast<double>(options_.warmup_updates);
  const auto n = static_cast<double>(finished_updates);
  if (n < warmup)
    return linear(init_, lr_, n, warmup);
  // The period is found by iterating, which is exact at every boundary; a logarithm could be
  // rounded either way.
  double since = n - warmup;
  double length = period_;
  double shrink = 1;
  if (options_.t_mult == 1) {
    const double periods = std::floor(since / period_);
    since -= periods * period_;
    shrink = std::pow(options_.lr_shrink, periods);
  } else {
    for (; since >= length; length *= options_.t_mult, shrink *= options_.lr_shrink)
      since -= length;
  }
  const double low = options_.min_lr;
  return shrink * (low + (lr_ - low) * (1 + std::cos(std::numbers::pi * since / length)) / 2);
}

void PolynomialOptions::describe(OptionTable& table) {
  describe_warmup(table, warmup_updates).at_least(0);
  table.field("total-num-update",
              total_num_update,
              "Total number of updates of the schedule; default: --max-update.");
  table.field("end-learning-rate", end_learning_rate, "Learning rate at the end of the schedule.")
      .at_least(0);
  table.field("power", power, "Exponent of the polynomial decay.").at_least(0);
}

Polynomial::Polynomial(const PolynomialOptions& options, const LrSchedulerSetup& setup)
    : options_(options),
      lr_(setup.lr),
      total_(schedule_length(
          "total-num-update", options.total_num_update, setup.max_update, options.warmup_updates)) {
}

double Polynomial::rate(int64_t finished_updates) const {
  const auto warmup = static_cast<double>(options_.warmup_updates);
  const auto n = static_cast<double>(finished_updates);
  if (warmup > 0 && n <= warmup)
    return lr_ * n / warmup;
  if (n >= total_)
    return options_.end_learning_rate;
  const double remaining = 1 - (n - warmup) / (total_ - warmup);
  return options_.end_learning_rate +
         (lr_ - options_.end_learning_rate) * std::pow(remaining, options_.power);
}

}  // namespace phraseq

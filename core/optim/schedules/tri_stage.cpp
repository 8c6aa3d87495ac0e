#include "core/optim/schedules/tri_stage.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"

namespace phraseq {
namespace {

constexpr double kRatioTolerance = 1e-9;

/// The length of a stage: the given number of updates, or a share of the run.
int64_t stage_length(int64_t given,
                     const std::vector<double>& ratio,
                     size_t stage,
                     int64_t max_update) {
  if (ratio.empty())
    return given;
  return static_cast<int64_t>(static_cast<double>(max_update) * ratio[stage]);
}

}  // namespace

void TriStageOptions::describe(OptionTable& table) {
  table.field("warmup-steps", warmup_steps, "Number of updates of the warm-up stage.").at_least(0);
  table.field("hold-steps", hold_steps, "Number of updates of the hold stage.").at_least(0);
  table.field("decay-steps", decay_steps, "Number of updates of the decay stage.").at_least(0);
  table.field("phase-ratio",
              phase_ratio,
              "Shares of the three stages in --max-update, which add up to 1; used instead of the "
              "three numbers of updates.");
  table.field("init-lr-scale", init_lr_scale, "Initial learning rate, relative to --lr.")
      .at_least(0);
  table.field("final-lr-scale", final_lr_scale, "Final learning rate, relative to --lr.")
      .in(1e-30, 1e30);
}

std::vector<std::string> TriStageOptions::problems() const {
  if (phase_ratio.empty())
    return {};  // without --decay-steps, the schedule is rejected anyway
  const double sum = std::accumulate(phase_ratio.begin(), phase_ratio.end(), 0.0);
  const bool any_negative =
      std::any_of(phase_ratio.begin(), phase_ratio.end(), [](double ratio) { return ratio < 0; });
  if (phase_ratio.size() == 3 && !any_negative && std::abs(sum - 1) < kRatioTolerance)
    return {};
  return {"--phase-ratio needs three numbers of at least 0 that add up to 1"};
}

TriStage::TriStage(const TriStageOptions& options, const LrSchedulerSetup& setup)
    : peak_(setup.lr),
      init_(options.init_lr_scale * setup.lr),
      final_(options.final_lr_scale * setup.lr),
      final_scale_(options.final_lr_scale) {
  if (!options.phase_ratio.empty() && setup.max_update <= 0)
    throw UsageError("--phase-ratio needs --max-update", "Set --max-update to the run's length.");
  const auto length = [&](int64_t given, size_t stage) {
    return stage_length(given, options.phase_ratio, stage, setup.max_update);
  };
  warmup_ = length(options.warmup_steps, 0);
  hold_ = length(options.hold_steps, 1);
  decay_ = length(options.decay_steps, 2);
  if (decay_ <= 0)
    throw UsageError(
        "--lr-scheduler tri_stage needs --decay-steps or --phase-ratio: the decay "
        "stage has no update",
        "Set --decay-steps, or --phase-ratio and --max-update.");
}

double TriStage::rate(int64_t finished_updates) const {
  const auto share = [](int64_t done, int64_t of) {
    return static_cast<double>(done) / static_cast<double>(of);
  };
  if (finished_updates < warmup_)
    return init_ + (peak_ - init_) * share(finished_updates, warmup_);
  const int64_t decayed = finished_updates - warmup_ - hold_;
  if (decayed < 0)
    return peak_;
  if (decayed > decay_)
    return final_;
  return peak_ * std::exp(std::log(final_scale_) * share(decayed, decay_));
}

}  // namespace phraseq

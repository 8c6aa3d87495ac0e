#include "core/optim/loss_scale/loss_scaler.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

constexpr double kFactor = 2.0;
constexpr int64_t kMaxIterations = int64_t{1} << 60;

}  // namespace

void LossScaleOptions::describe(OptionTable& table) {
  table.field("fp16-init-scale", fp16_init_scale, "Loss scale of the first update, with --fp16.")
      .at_least(1);
  table
      .field("fp16-scale-window",
             fp16_scale_window,
             "Number of updates without an overflow before the loss scale is doubled; 0 = 16384 "
             "divided by the number of processes and by --update-freq.")
      .at_least(0);
  table.field("fp16-scale-tolerance",
              fp16_scale_tolerance,
              "Fraction of updates that may overflow before the loss scale is halved.");
  table
      .field("min-loss-scale",
             min_loss_scale,
             "Stop with exit code 7 if the loss scale would fall to this value.")
      .at_least(0.0);
  table
      .field("threshold-loss-scale",
             threshold_loss_scale,
             "Lower limit of the loss scale; 0 = no limit.")
      .at_least(0.0);
}

int64_t loss_scale_window(const LossScaleOptions& options,
                          int64_t processes,
                          const std::vector<int64_t>& update_freq) {
  if (options.fp16_scale_window > 0)
    return options.fp16_scale_window;
  if (update_freq.size() > 1) {
    throw UsageError("--fp16-scale-window must be given explicitly when --update-freq is a list",
                     "Give, for example, --fp16-scale-window 1024.");
  }
  // fairseq's int(2**14 / processes / update_freq), a number of updates.
  const double window = 16384.0 / static_cast<double>(processes) /
                        static_cast<double>(update_freq.empty() ? 1 : update_freq.front());
  return std::max<int64_t>(1, static_cast<int64_t>(window));
}

LossScaler::LossScaler(const LossScaleOptions& options, int64_t window)
    : tolerance_(options.fp16_scale_tolerance),
      minimum_(options.min_loss_scale),
      window_(window),
      scale_(static_cast<double>(options.fp16_init_scale)) {
  if (options.threshold_loss_scale > 0.0)
    threshold_ = options.threshold_loss_scale;
}

void LossScaler::note_update() {
  if ((iteration_ - last_overflow_) % window_ == 0) {
    scale_ *= kFactor;
    last_rescale_ = iteration_;
  }
  ++iteration_;
}

void LossScaler::note_overflow() {
  const double before = scale_;
  const int64_t since_rescale = iteration_ - last_rescale_;  // at least 1
  last_overflow_ = iteration_;
  ++overflows_since_rescale_;
  const double share =
      static_cast<double>(overflows_since_rescale_) / static_cast<double>(since_rescale);
  if (share >= tolerance_) {
    scale_ /= kFactor;
    if (threshold_)
      scale_ = std::max(scale_, *threshold_);
    last_rescale_ = iteration_;
    overflows_since_rescale_ = 0;
  }
  if (scale_ <= minimum_) {
    scale_ = before;
    throw DivergenceError(
        fmt::format("the loss scale of --fp16 reached its minimum ({:g}): the loss is probably "
                    "exploding",
                    minimum_),
        "Reduce --lr, clip with --clip-norm, use larger batches, or train with --bf16, which needs "
        "no loss scale.");
  }
  ++iteration_;
}

nlohmann::json LossScaler::state() const {
  return {{"scale", scale_},
          {"iteration", iteration_},
          {"last_overflow", last_overflow_},
          {"last_rescale", last_rescale_},
          {"overflows_since_rescale", overflows_since_rescale_}};
}

void LossScaler::restore(const JsonEntry& state) {
  const double scale = state.at("scale").number();
  if (!(scale > 0.0)) {
    throw FormatError(fmt::format("a loss scale of {} is not positive", scale),
                      "--reset-optimizer starts with a new loss scale.");
  }
  const int64_t iteration = state.at("iteration").whole_number(0, kMaxIterations);
  const auto earlier = [&](const char* name) {
    return state.at(name).whole_number(-1, iteration - 1);
  };
  const int64_t last_overflow = earlier("last_overflow"), last_rescale = earlier("last_rescale");
  overflows_since_rescale_ = state.at("overflows_since_rescale").whole_number(0, kMaxIterations);
  scale_ = scale;
  iteration_ = iteration;
  last_overflow_ = last_overflow;
  last_rescale_ = last_rescale;
}

}  // namespace phraseq

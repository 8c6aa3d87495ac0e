#include "core/optim/parameter_average.h"

#include <algorithm>

#include <ATen/ops/empty.h>

#include "core/optim/sixteen_bit_copies.h"

namespace phraseq {
namespace {

constexpr int64_t kPart = 1 << 20;  ///< elements that are exchanged at a time
constexpr double kDefaultDecay = 0.9999;

}  // namespace

void MovingAverageOptions::describe(OptionTable& table) {
  table.section("Moving average of the parameters");
  table.field("store-ema",
              store_ema,
              "Keep an exponential moving average of the parameters. Validation, checkpoints and "
              "translation use the average; training continues with the parameters themselves.");
  table
      .field("ema-decay",
             ema_decay,
             "Decay of the moving average; above 0, it implies --store-ema. 0 = 0.9999 with "
             "--store-ema, otherwise no average.")
      .in(0.0, 1.0);
  table
      .field("ema-start-update",
             ema_start_update,
             "Start the moving average at this update; until then, it is a copy of the parameters, "
             "renewed every --ema-update-freq updates.")
      .at_least(0);
  table.field("ema-update-freq", ema_update_freq, "Update the moving average every N updates.")
      .at_least(1);
}

double MovingAverageOptions::decay() const { return ema_decay > 0 ? ema_decay : kDefaultDecay; }

ParameterAverage::ParameterAverage(const MovingAverageOptions& options,
                                   nn::FlatParameters& parameters)
    : options_(options),
      parameters_(parameters),
      other_(parameters.values().clone()),
      part_(at::empty({std::min(kPart, other_.numel())}, other_.options())) {}

void ParameterAverage::update(int64_t updates) {
  if (updates % options_.ema_update_freq != 0)
    return;
  const double decay = updates < options_.ema_start_update ? 0.0 : options_.decay();
  other_.mul_(decay).add_(parameters_.values(), 1 - decay);
}

void ParameterAverage::restart() { other_.copy_(parameters_.values()); }

void ParameterAverage::swap() {
  const at::Tensor values = parameters_.values();
  for (int64_t start = 0; start < values.numel(); start += kPart) {
    const int64_t length = std::min(kPart, values.numel() - start);
    const at::Tensor held = part_.narrow(0, 0, length);
    held.copy_(values.narrow(0, start, length));
    values.narrow(0, start, length).copy_(other_.narrow(0, start, length));
    other_.narrow(0, start, length).copy_(held);
  }
  refresh_sixteen_bit_copies(parameters_);
}

}  // namespace phraseq

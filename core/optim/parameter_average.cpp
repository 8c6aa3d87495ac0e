#include "core/optim/parameter_average.h"

#include "core/optim/sixteen_bit_copies.h"

namespace phraseq {
namespace {

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
    : options_(options), parameters_(parameters), other_(parameters.values().clone()) {}

void ParameterAverage::update(int64_t updates) {
  if (updates % options_.ema_update_freq != 0)
    return;
  const double decay = updates < options_.ema_start_update ? 0.0 : options_.decay();
  other_.mul_(decay).add_(parameters_.values(), 1 - decay);
}

void ParameterAverage::restart() { other_.copy_(parameters_.values()); }

void ParameterAverage::swap() {
  const at::Tensor held = parameters_.values().clone();
  parameters_.values().copy_(other_);
  other_.copy_(held);
  refresh_sixteen_bit_copies(parameters_);
}

}  // namespace phraseq

#include "core/train/train_state.h"

#include <cmath>

namespace phraseq {
namespace {

/// Leaves out a value that is not finite: JSON cannot express it.
nlohmann::json validation_json(const LastValidation& validation) {
  nlohmann::json json = {{"updates", validation.updates}};
  if (std::isfinite(validation.value))
    json["value"] = validation.value;
  return json;
}

LastValidation validation_from(const JsonEntry& json) {
  return {json.at("updates").whole_number(0, kMaxUpdates),
          json.has("value") ? json.at("value").number() : std::nan("")};
}

}  // namespace

nlohmann::json IntervalSums::to_json() const {
  return {{"loss_sum", losses.loss_sum},
          {"nll_sum", losses.nll_sum},
          {"tokens", losses.tokens},
          {"sentences", losses.sentences},
          {"extras", losses.extras},
          {"gradient_norm_sum", gradient_norm_sum},
          {"updates", updates},
          {"clipped", clipped}};
}

IntervalSums IntervalSums::from_json(const JsonEntry& json) {
  const auto count = [&](const char* name) { return json.at(name).whole_number(0, kMaxUpdates); };
  IntervalSums sums;
  sums.losses.loss_sum = json.at("loss_sum").number();
  sums.losses.nll_sum = json.at("nll_sum").number();
  sums.losses.tokens = count("tokens");
  sums.losses.sentences = count("sentences");
  for (const auto& [name, extra] : json.at("extras").members())
    sums.losses.extras[name] = extra.number();
  sums.gradient_norm_sum = json.at("gradient_norm_sum").number();
  sums.updates = count("updates");
  sums.clipped = count("clipped");
  return sums;
}

nlohmann::json TrainState::to_json() const {
  nlohmann::json json = {{"updates", updates},
                         {"finished_epochs", finished_epochs},
                         {"bad_updates_in_a_row", bad_updates_in_a_row},
                         {"bad_updates", bad_updates},
                         {"best", best ? nlohmann::json(*best) : nlohmann::json()},
                         {"validations_without_better", validations_without_better},
                         {"scheduler", scheduler},
                         {"interval", interval.to_json()},
                         {"epoch", epoch.to_json()}};
  if (saved_best != best)
    json["saved_best"] = saved_best ? nlohmann::json(*saved_best) : nlohmann::json();
  if (last_validation.updates >= 0)
    json["last_validation"] = validation_json(last_validation);
  if (!loss_scaler.is_null())
    json["loss_scaler"] = loss_scaler;
  return json;
}

TrainState TrainState::from_json(const JsonEntry& json) {
  const auto count = [&](const char* name) { return json.at(name).whole_number(0, kMaxUpdates); };
  TrainState state;
  state.updates = count("updates");
  state.finished_epochs = count("finished_epochs");
  state.bad_updates_in_a_row = count("bad_updates_in_a_row");
  state.bad_updates = count("bad_updates");
  if (!json.at("best").is_null())
    state.best = json.at("best").number();
  state.saved_best = state.best;
  if (json.has("saved_best")) {
    const JsonEntry saved = json.at("saved_best");
    state.saved_best = saved.is_null() ? std::nullopt : std::optional(saved.number());
  }
  state.validations_without_better = count("validations_without_better");
  if (json.has("last_validation"))
    state.last_validation = validation_from(json.at("last_validation"));
  if (json.has("scheduler")) {
    for (const auto& [name, value] : json.at("scheduler").members())
      state.scheduler[name] = value.number();
  }
  if (json.has("loss_scaler"))
    state.loss_scaler = json.at("loss_scaler").object();
  state.interval = IntervalSums::from_json(json.at("interval"));
  state.epoch = IntervalSums::from_json(json.at("epoch"));
  return state;
}

}  // namespace phraseq

#include "core/train/train_state.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace phraseq {
namespace {

/// A JSON number, or a text for a number that JSON cannot express: "inf", "-inf" or "nan".
nlohmann::json number_json(double number) {
  if (std::isfinite(number))
    return number;
  return std::isnan(number) ? "nan" : fmt::format("{}", number);
}

double number_from(const JsonEntry& json) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double number : {kInfinity, -kInfinity, std::nan("")}) {
    if (json.value() == number_json(number))
      return number;
  }
  return json.number();
}

template <class Numbers>
nlohmann::json numbers_json(const Numbers& numbers) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, number] : numbers) json[name] = number_json(number);
  return json;
}

std::map<std::string, double> numbers_from(const JsonEntry& json) {
  std::map<std::string, double> numbers;
  for (const auto& [name, number] : json.members()) numbers[name] = number_from(number);
  return numbers;
}

/// Omits a value that is not finite, which JSON cannot express.
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
  return {{"loss_sum", number_json(losses.loss_sum)},
          {"nll_sum", number_json(losses.nll_sum)},
          {"tokens", losses.tokens},
          {"sentences", losses.sentences},
          {"extras", numbers_json(losses.extras)},
          {"gradient_norm_sum", number_json(gradient_norm_sum)},
          {"updates", updates},
          {"clipped", clipped}};
}

IntervalSums IntervalSums::from_json(const JsonEntry& json) {
  const auto count = [&](const char* name) { return json.at(name).whole_number(0, kMaxUpdates); };
  IntervalSums sums;
  sums.losses.loss_sum = number_from(json.at("loss_sum"));
  sums.losses.nll_sum = number_from(json.at("nll_sum"));
  sums.losses.tokens = count("tokens");
  sums.losses.sentences = count("sentences");
  sums.losses.extras = numbers_from(json.at("extras"));
  sums.gradient_norm_sum = number_from(json.at("gradient_norm_sum"));
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
                         {"scheduler", numbers_json(scheduler)},
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
  if (json.has("scheduler"))
    state.scheduler = numbers_from(json.at("scheduler"));
  if (json.has("loss_scaler"))
    state.loss_scaler = json.at("loss_scaler").object();
  state.interval = IntervalSums::from_json(json.at("interval"));
  state.epoch = IntervalSums::from_json(json.at("epoch"));
  return state;
}

}  // namespace phraseq

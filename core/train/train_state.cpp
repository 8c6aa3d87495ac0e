#include "core/train/train_state.h"

namespace phraseq {

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

IntervalSums IntervalSums::from_json(const nlohmann::json& json) {
  IntervalSums sums;
  json.at("loss_sum").get_to(sums.losses.loss_sum);
  json.at("nll_sum").get_to(sums.losses.nll_sum);
  json.at("tokens").get_to(sums.losses.tokens);
  json.at("sentences").get_to(sums.losses.sentences);
  json.at("extras").get_to(sums.losses.extras);
  json.at("gradient_norm_sum").get_to(sums.gradient_norm_sum);
  json.at("updates").get_to(sums.updates);
  json.at("clipped").get_to(sums.clipped);
  return sums;
}

nlohmann::json TrainState::to_json() const {
  return {{"updates", updates},
          {"finished_epochs", finished_epochs},
          {"bad_updates_in_a_row", bad_updates_in_a_row},
          {"bad_updates", bad_updates},
          {"best", best ? nlohmann::json(*best) : nlohmann::json()},
          {"validations_without_better", validations_without_better},
          {"interval", interval.to_json()},
          {"epoch", epoch.to_json()}};
}

TrainState TrainState::from_json(const nlohmann::json& json) {
  TrainState state;
  json.at("updates").get_to(state.updates);
  json.at("finished_epochs").get_to(state.finished_epochs);
  json.at("bad_updates_in_a_row").get_to(state.bad_updates_in_a_row);
  json.at("bad_updates").get_to(state.bad_updates);
  if (!json.at("best").is_null())
    state.best = json.at("best").get<double>();
  json.at("validations_without_better").get_to(state.validations_without_better);
  state.interval = IntervalSums::from_json(json.at("interval"));
  state.epoch = IntervalSums::from_json(json.at("epoch"));
  return state;
}

}  // namespace phraseq

#include "core/optim/loss_scale/loss_scaler.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/options/option_text.h"

namespace phraseq {
namespace {

/// The states of fairseq's class, written by tests/golden/loss_scaler/generate.py.
const nlohmann::json& golden() {
  static const nlohmann::json values = [] {
    std::ifstream stream(PHRASEQ_SOURCE_FOLDER "/tests/golden/loss_scaler/golden.json");
    return nlohmann::json::parse(stream);
  }();
  return values;
}

LossScaler scaler_of(const nlohmann::json& item) {
  LossScaleOptions options;
  OptionTable table;
  options.describe(table);
  from_json(table, item.at("options"), OptionOrigin::kCommandLine);
  return {options, item.at("window").get<int64_t>()};
}

nlohmann::json state_as_recorded(const LossScaler& scaler) {
  const auto state = scaler.state();
  return {state.at("scale"),
          state.at("iteration"),
          state.at("last_overflow"),
          state.at("last_rescale"),
          state.at("overflows_since_rescale")};
}

void note(LossScaler& scaler, char overflow) {
  if (overflow == '1') {
    scaler.note_overflow();
  } else {
    scaler.note_update();
  }
}

TEST(LossScaler, PassesThroughTheStatesOfFairseqs) {
  ASSERT_EQ(golden().size(), 9u);
  int reached_minimum = 0;
  for (const auto& item : golden()) {
    SCOPED_TRACE(item.at("options").dump());
    LossScaler scaler = scaler_of(item);
    const auto overflows = item.at("overflows").get<std::string>();
    const auto minimum = item.at("minimum").get<int64_t>();
    for (size_t update = 0; update < item.at("states").size(); ++update) {
      note(scaler, overflows[update]);
      ASSERT_EQ(state_as_recorded(scaler), item.at("states")[update]) << "update " << update;
    }
    if (minimum < 0)
      continue;
    ++reached_minimum;
    const double before = scaler.scale();
    EXPECT_THROW(note(scaler, overflows[static_cast<size_t>(minimum)]), DivergenceError);
    EXPECT_EQ(scaler.scale(), before);
  }
  EXPECT_EQ(reached_minimum, 1);
}

TEST(LossScaler, ContinuesFromItsStateWhereverItWasSaved) {
  for (const auto& item : golden()) {
    const auto overflows = item.at("overflows").get<std::string>();
    const size_t updates = item.at("states").size();
    for (size_t saved = 0; saved < updates; saved += 3) {
      LossScaler first = scaler_of(item);
      for (size_t update = 0; update <= saved; ++update) note(first, overflows[update]);
      const nlohmann::json state = nlohmann::json::parse(first.state().dump());
      LossScaler second = scaler_of(item);
      second.restore(JsonEntry(state, "a test"));
      for (size_t update = saved + 1; update < updates; ++update) note(second, overflows[update]);
      ASSERT_EQ(state_as_recorded(second), item.at("states").back()) << "saved after " << saved;
    }
  }
}

TEST(LossScaler, RejectsStatesThatCannotBe) {
  const nlohmann::json good = LossScaler({}, 5).state();
  const auto restore = [](nlohmann::json state) {
    LossScaler({}, 5).restore(JsonEntry(state, "x.safetensors"));
  };
  EXPECT_NO_THROW(restore(good));
  for (const auto& [name, value] : std::vector<std::pair<std::string, nlohmann::json>>{
           {"scale", 0.0},
           {"scale", -2.0},
           {"scale", "128"},
           {"iteration", -1},
           {"last_overflow", 0},  // must be before the first iteration
           {"last_rescale", -2},
           {"overflows_since_rescale", -1}}) {
    nlohmann::json state = good;
    state[name] = value;
    EXPECT_THROW(restore(state), FormatError) << name << " " << value;
  }
}

TEST(LossScaleWindow, IsFairseqs) {
  LossScaleOptions options;
  EXPECT_EQ(loss_scale_window(options, 1, {1}), 16384);
  EXPECT_EQ(loss_scale_window(options, 8, {1}), 2048);
  EXPECT_EQ(loss_scale_window(options, 3, {5}), 1092);  // int(2 ** 14 / 3 / 5)
  EXPECT_EQ(loss_scale_window(options, 100000, {1}), 1);
  EXPECT_THROW(loss_scale_window(options, 1, {1, 2}), UsageError);
  options.fp16_scale_window = 77;
  EXPECT_EQ(loss_scale_window(options, 8, {1, 2}), 77);
}

}  // namespace
}  // namespace phraseq

// Optimizers and schedules against tests/golden/optim, which fairseq's own classes computed.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <torch/nn/module.h>

#include "core/base/error.h"
#include "core/optim/optimizers/adafactor.h"
#include "core/optim/optimizers/adagrad.h"
#include "core/optim/optimizers/adamax.h"
#include "core/optim/optimizers/nag.h"
#include "core/optim/schedules/learning_rates.h"
#include "core/optim/schedules/reduce_on_plateau.h"
#include "core/optim/schedules/tri_stage.h"
#include "core/options/option_text.h"

namespace phraseq {
namespace {

const nlohmann::json& golden() {
  static const nlohmann::json values = [] {
    std::ifstream stream(PHRASEQ_SOURCE_FOLDER "/tests/golden/optim/golden.json");
    return nlohmann::json::parse(stream);
  }();
  return values;
}

/// The cases of a list with that name. There must be some: without cases, the test could not fail.
std::vector<nlohmann::json> cases(const char* list, const std::string& name) {
  std::vector<nlohmann::json> found;
  for (const auto& item : golden().at(list)) {
    if (item.at("name") == name)
      found.push_back(item);
  }
  EXPECT_FALSE(found.empty()) << name;
  return found;
}

template <class OptionsOf>
OptionsOf options_of(const nlohmann::json& item) {
  OptionsOf options;
  OptionTable table;
  options.describe(table);
  from_json(table, item.at("options"), OptionOrigin::kCommandLine);
  EXPECT_TRUE(options.problems().empty());
  return options;
}

at::Tensor numbers_of(at::IntArrayRef shape) {
  return at::arange(1, 1 + c10::multiply_integers(shape), at::kDouble);
}

/// The parameters of generate.py in flat buffers, in double precision.
struct Problem {
  Problem() {
    for (size_t i = 0; i < shapes.size(); ++i) {
      const at::Tensor value = at::sin(numbers_of(shapes[i]) * (0.7 + double(i))).view(shapes[i]);
      parameters.push_back(module.register_parameter("p" + std::to_string(i), value));
    }
    flat = std::make_unique<nn::FlatParameters>(module, /*with_gradients=*/true);
  }

  /// Multiplies all gradients by `factor`.
  void set_gradients(int step, double factor) {
    const at::NoGradGuard no_gradients;
    for (size_t i = 0; i < shapes.size(); ++i) {
      const at::Tensor numbers = numbers_of(shapes[i]);
      const at::Tensor values = at::cos(numbers * (1.1 + step) + double(i)) * (0.5 + step) * factor;
      parameters[i].mutable_grad().copy_(values.view(shapes[i]));
    }
  }

  double difference_from(const nlohmann::json& expected) const {
    double largest = 0;
    for (size_t i = 0; i < shapes.size(); ++i) {
      const at::Tensor values =
          at::tensor(expected.at(i).get<std::vector<double>>(), at::kDouble).view(shapes[i]);
      largest = std::max(largest, (parameters[i].detach() - values).abs().max().item<double>());
    }
    return largest;
  }

  std::vector<std::vector<int64_t>> shapes = {{3, 5}, {7}, {2, 3, 4}, {1}};
  torch::nn::Module module;
  std::vector<at::Tensor> parameters;
  std::unique_ptr<nn::FlatParameters> flat;
};

template <class OptimizerOf, class OptionsOf>
void expect_fairseqs_updates(const std::string& name) {
  for (const auto& item : cases("optimizers", name)) {
    Problem problem;
    OptimizerOf optimizer(options_of<OptionsOf>(item), {problem.flat.get()});
    int step = 0;
    for (const auto& expected : item.at("steps")) {
      problem.set_gradients(step++, 4.0);
      optimizer.step(expected.at("rate").get<double>(), 0.25);
      EXPECT_LT(problem.difference_from(expected.at("parameters")), 1e-13)
          << item.at("options") << " step " << step;
    }
    EXPECT_EQ(optimizer.steps(), 6);
  }
}

TEST(FairseqsOptimizers, NagHasTheSameUpdates) { expect_fairseqs_updates<Nag, NagOptions>("nag"); }

TEST(FairseqsOptimizers, AdagradHasTheSameUpdates) {
  expect_fairseqs_updates<Adagrad, AdagradOptions>("adagrad");
}

TEST(FairseqsOptimizers, AdamaxHasTheSameUpdates) {
  expect_fairseqs_updates<Adamax, AdamaxOptions>("adamax");
}

TEST(FairseqsOptimizers, AdafactorHasTheSameUpdates) {
  expect_fairseqs_updates<Adafactor, AdafactorOptions>("adafactor");
}

TEST(FairseqsOptimizers, AdafactorKeepsRowsAndColumnsOfMatricesOnly) {
  Problem problem;
  Adafactor adafactor({}, {problem.flat.get()});
  const auto state = adafactor.state();
  EXPECT_EQ(state.at("exp_avg_sq_row").numel(), 3 + 2 * 3);
  EXPECT_EQ(state.at("exp_avg_sq_col").numel(), 5 + 2 * 4);
  EXPECT_EQ(state.at("exp_avg_sq").numel(), 7 + 1);
  EXPECT_FALSE(state.contains("exp_avg"));
}

TEST(FairseqsOptimizers, RenewTheBf16Copy) {
  Problem problem;
  problem.flat->refresh_bf16();
  Adamax adamax({}, {problem.flat.get()});
  problem.set_gradients(1, 1.0);
  adamax.step(0.1, 1.0);
  EXPECT_TRUE(at::equal(problem.flat->bf16(), problem.flat->values().to(at::kBFloat16)));
}

TEST(FairseqsOptimizers, RejectOptionsThatContradict) {
  AdafactorOptions factor;
  factor.warmup_init = true;
  factor.adafactor_eps = {1e-30};
  EXPECT_EQ(factor.problems().size(), 2U);
  AdamaxOptions max;
  max.adamax_betas = {0.9, 1.0};
  EXPECT_EQ(max.problems().size(), 1U);
}

template <class Schedule, class OptionsOf>
void expect_fairseqs_rates(const std::string& name) {
  for (const auto& item : cases("schedules", name)) {
    LrSchedulerSetup setup;
    setup.lr_list = item.at("lr").get<std::vector<double>>();
    setup.lr = setup.lr_list.front();
    setup.max_update = item.at("max_update").get<int64_t>();
    setup.larger_is_better = item.at("larger_is_better").get<bool>();
    auto schedule = std::make_unique<Schedule>(options_of<OptionsOf>(item), setup);
    int64_t updates = 0;
    int64_t epoch = 0;
    for (const auto& expected : item.at("epochs")) {
      // As in a resumed run, which takes over only the state.
      const auto state = schedule->state();
      schedule = std::make_unique<Schedule>(options_of<OptionsOf>(item), setup);
      schedule->restore(state);
      schedule->begin_epoch(++epoch);
      for (const auto& rate : expected.at("rates")) {
        EXPECT_NEAR(schedule->rate(updates), rate.get<double>(), 1e-15)
            << item.at("options") << " update " << updates + 1;
        ++updates;
      }
      const auto& value = expected.at("value");
      schedule->end_epoch(updates, value.is_null() ? std::nullopt : std::optional<double>(value));
    }
  }
}

TEST(FairseqsSchedules, FixedHasTheSameRates) {
  expect_fairseqs_rates<ConstantRate, ConstantRateOptions>("fixed");
}

TEST(FairseqsSchedules, ReduceLrOnPlateauHasTheSameRates) {
  expect_fairseqs_rates<ReduceOnPlateau, ReduceOnPlateauOptions>("reduce_lr_on_plateau");
}

/// As in torch.optim.lr_scheduler.ReduceLROnPlateau, NaN is worse than any value and never becomes
/// the best value.
TEST(FairseqsSchedules, ReduceLrOnPlateauIsReducedByNanAndForgetsIt) {
  ReduceOnPlateauOptions options;
  options.lr_shrink = 0.5;
  ReduceOnPlateau schedule(options, {.lr = 1.0});
  schedule.end_epoch(1, std::nan(""));
  EXPECT_EQ(schedule.rate(1), 0.5);
  schedule.end_epoch(2, 7.0);
  schedule.end_epoch(3, 6.0);
  EXPECT_EQ(schedule.rate(3), 0.5);
}

/// A run resumed with another metric keeps only the learning rate.
TEST(FairseqsSchedules, ReduceLrOnPlateauForgetsTheValuesOfAnotherMetric) {
  ReduceOnPlateauOptions options;
  options.lr_shrink = 0.5;
  ReduceOnPlateau schedule(options, {.lr = 1.0});
  schedule.restore({{"bad_epochs", 1}, {"best", 2.5}, {"lr", 0.01}});
  schedule.forget_values();
  EXPECT_EQ(schedule.state(), (std::map<std::string, double>{{"bad_epochs", 0}, {"lr", 0.01}}));
  schedule.end_epoch(1, 5.0);  // worse than 2.5, a value of the other metric
  EXPECT_EQ(schedule.rate(1), 0.01);
}

TEST(FairseqsSchedules, ReduceLrOnPlateauRejectsAStateWithoutANumberOfEpochs) {
  ReduceOnPlateau schedule({}, {});
  for (const double epochs : {1e300, -1.0, 0.5})
    EXPECT_THROW(schedule.restore({{"bad_epochs", epochs}}), FormatError) << epochs;
  EXPECT_NO_THROW(schedule.restore({{"bad_epochs", 2.0}}));
}

TEST(FairseqsSchedules, ReduceLrOnPlateauNeverTakesANonFiniteValueAsTheBest) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ReduceOnPlateauOptions options;
  options.lr_patience = 1;
  LrSchedulerSetup setup;
  setup.lr = 1;
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), kInfinity}) {
    ReduceOnPlateau schedule(options, setup);
    schedule.end_epoch(1, value);
    EXPECT_FALSE(schedule.state().contains("best"))
        << "the state could not be restored from a checkpoint";
    for (const double loss : {5.0, 4.0, 3.0}) schedule.end_epoch(2, loss);
    EXPECT_EQ(schedule.rate(3), 1) << "each loss was better than the one before";
    EXPECT_EQ(schedule.state().at("best"), 3);
  }
}

TEST(FairseqsSchedules, TriStageHasTheSameRates) {
  expect_fairseqs_rates<TriStage, TriStageOptions>("tri_stage");
}

TEST(FairseqsSchedules, TriStageNeedsADecayAndARunLengthForRatios) {
  EXPECT_TRUE(TriStageOptions().problems().empty())
      << "`phraseq plugins check` requires valid defaults";
  EXPECT_THROW(TriStage(TriStageOptions(), {1.0, 0, 100}), UsageError);
  TriStageOptions options;
  options.phase_ratio = {0.5, 0.5, 0.5};
  EXPECT_EQ(options.problems().size(), 1U);
  options.phase_ratio = {0.2, 0.3, 0.5};
  EXPECT_TRUE(options.problems().empty());
  EXPECT_THROW(TriStage(options, {1.0, 0, 0}), UsageError);
}

}  // namespace
}  // namespace phraseq

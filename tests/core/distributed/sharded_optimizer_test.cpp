#include "core/distributed/sharding/sharded_optimizer.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "core/base/error.h"
#include "core/optim/optimizers/adadelta.h"
#include "core/optim/optimizers/adafactor.h"
#include "core/optim/optimizers/adagrad.h"
#include "core/optim/optimizers/adam.h"
#include "core/optim/optimizers/adamax.h"
#include "core/optim/optimizers/nag.h"
#include "core/optim/optimizers/sgd.h"
#include "tests/core/distributed/as_ranks.h"

namespace phraseq {
namespace {

using phraseq::testing::as_ranks;
using State = std::map<std::string, at::Tensor>;

constexpr int64_t kElements = 37'024;  // three blocks of an update, the last one shorter

at::Tensor numbers(int64_t elements, double step) {
  return at::sin(at::arange(elements, at::TensorOptions(at::kDouble)) * step);
}

struct Problem {
  explicit Problem(at::ScalarType type = at::kFloat) {
    module.register_parameter("matrix", numbers(37'000, 0.37).to(type).view({100, 370}));
    module.register_parameter("vector", numbers(7, 0.6).to(type));
    flat = std::make_unique<nn::FlatParameters>(module, /*with_gradients=*/true);
  }
  /// An update with gradients that depend on `round` alone.
  void step(Optimizer& optimizer, int round) const {
    const at::NoGradGuard no_gradients;
    flat->gradients().copy_(numbers(kElements, 1.1 + round));
    optimizer.step(0.05 / round, 0.7);
  }
  at::Tensor& values() const { return flat->values(); }

  torch::nn::Module module;
  std::unique_ptr<nn::FlatParameters> flat;
};

template <class O, class OptionsOfO>
ShardedOptimizer::Make maker(const std::function<void(OptionsOfO&)>& set = {}) {
  OptionsOfO options;
  if (set)
    set(options);
  return [options](const OptimizerSetup& setup) { return std::make_unique<O>(options, setup); };
}

struct Case {
  const char* name;
  ShardedOptimizer::Make make;
};

std::vector<Case> cases() {
  return {
      {"adam", maker<Adam, AdamOptions>([](AdamOptions& options) { options.weight_decay = 0.01; })},
      {"adamw", maker<Adam, AdamWOptions>()},
      {"sgd", maker<Sgd, SgdOptions>([](SgdOptions& options) {
         options.momentum = 0.9;
         options.nesterov = true;
         options.weight_decay = 0.02;
       })},
      {"adadelta", maker<Adadelta, AdadeltaOptions>()},
      {"adagrad", maker<Adagrad, AdagradOptions>([](AdagradOptions& o) { o.weight_decay = 0.03; })},
      {"adamax", maker<Adamax, AdamaxOptions>([](AdamaxOptions& o) { o.weight_decay = 0.01; })},
      {"nag", maker<Nag, NagOptions>([](NagOptions& o) { o.weight_decay = 0.01; })},
  };
}

/// Parameter: the name of an optimizer. One of the four processes has no shard.
class ShardedOptimizerOf : public ::testing::TestWithParam<Case> {
 protected:
  ShardedOptimizerOf() { at::set_num_threads(1); }
};

INSTANTIATE_TEST_SUITE_P(Optimizers,
                         ShardedOptimizerOf,
                         ::testing::ValuesIn(cases()),
                         [](const auto& parameter) { return parameter.param.name; });

TEST_P(ShardedOptimizerOf, HasTheSameBitsAsTheUndividedOne) {
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    Problem undivided(type);
    undivided.flat->refresh_bf16();
    const auto optimizer = GetParam().make({undivided.flat.get()});
    for (const int round : {1, 2, 3}) undivided.step(*optimizer, round);
    for (const int size : {2, 4}) {
      as_ranks(size, [&](ProcessGroup& group) {
        Problem divided(type);
        divided.flat->refresh_bf16();
        ShardedOptimizer sharded(GetParam().make, "x", *divided.flat, group);
        for (const int round : {1, 2, 3}) divided.step(sharded, round);
        EXPECT_TRUE(divided.values().equal(undivided.values()));
        EXPECT_TRUE(divided.flat->bf16().equal(undivided.flat->bf16()));
        EXPECT_EQ(sharded.steps(), 3);
      });
    }
  }
}

TEST_P(ShardedOptimizerOf, IsSavedWholeAndContinuedByAnotherNumberOfProcesses) {
  Problem undivided;
  const auto optimizer = GetParam().make({undivided.flat.get()});
  for (const int round : {1, 2}) undivided.step(*optimizer, round);
  const at::Tensor at_the_break = undivided.values().clone();
  State saved;
  as_ranks(3, [&](ProcessGroup& group) {
    Problem divided;
    ShardedOptimizer sharded(GetParam().make, "x", *divided.flat, group);
    for (const int round : {1, 2}) divided.step(sharded, round);
    sharded.collect();
    if (group.is_first())
      saved = sharded.state();
    sharded.release();
  });
  const State expected = optimizer->state();
  ASSERT_EQ(saved.size(), expected.size());
  for (const auto& [name, tensor] : expected) EXPECT_TRUE(saved.at(name).equal(tensor)) << name;

  undivided.step(*optimizer, 3);
  as_ranks(2, [&](ProcessGroup& group) {
    Problem resumed;
    resumed.values().copy_(at_the_break);
    ShardedOptimizer sharded(GetParam().make, "x", *resumed.flat, group);
    if (group.is_first()) {
      for (auto& [name, tensor] : sharded.state()) at::Tensor(tensor).copy_(saved.at(name));
    }
    sharded.distribute();
    sharded.set_steps(2);
    resumed.step(sharded, 3);
    EXPECT_TRUE(resumed.values().equal(undivided.values()));
  });
}

TEST(ShardedOptimizer, HoldsItsShareOfTheStateOnly) {
  std::mutex mutex;
  int64_t held = 0;
  as_ranks(3, [&](ProcessGroup& group) {
    Problem problem;
    const auto make = [&](const OptimizerSetup& setup) {
      auto optimizer = std::make_unique<Adam>(AdamOptions(), setup);
      const std::lock_guard lock(mutex);
      for (const auto& [name, tensor] : optimizer->state()) held += tensor.numel();
      return optimizer;
    };
    const ShardedOptimizer sharded(make, "adam", *problem.flat, group);
  });
  EXPECT_EQ(held, 2 * kElements) << "two moments, each of them once";
}

TEST(ShardedOptimizer, StartsFreshWhenNothingWasRestored) {
  as_ranks(2, [](ProcessGroup& group) {
    Problem divided, undivided;
    Adam adam({}, {undivided.flat.get()});
    ShardedOptimizer sharded(maker<Adam, AdamOptions>(), "adam", *divided.flat, group);
    sharded.distribute();
    divided.step(sharded, 1);
    undivided.step(adam, 1);
    EXPECT_TRUE(divided.values().equal(undivided.values()));
  });
}

TEST(ShardedOptimizer, RejectsAnOptimizerThatNeedsWholeParameters) {
  Problem problem;
  try {
    const ShardedOptimizer sharded(
        maker<Adafactor, AdafactorOptions>(), "adafactor", *problem.flat, single_process());
    FAIL();
  } catch (const UsageError& failure) {
    EXPECT_EQ(failure.message(),
              "--zero-sharding os cannot divide the state of --optimizer adafactor");
  }
}

}  // namespace
}  // namespace phraseq

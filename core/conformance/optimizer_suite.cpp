#include "core/conformance/optimizer_suite.h"

#include <cmath>
#include <memory>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <torch/nn/module.h>

#include "core/optim/lr_scheduler.h"
#include "core/optim/optimizer.h"

namespace phraseq::conformance {
namespace {

/// A matrix and a vector, with an optimizer over them.
class Problem {
 public:
  explicit Problem(const Selection& selection) {
    module_.register_parameter("matrix", at::zeros({3, 5}));
    module_.register_parameter("vector", at::zeros({7}));
    flat_ = std::make_unique<nn::FlatParameters>(module_, /*with_gradients=*/true);
    const at::NoGradGuard no_gradients;
    values().copy_(at::sin(at::arange(values().numel(), at::kFloat) * 0.7));
    optimizer_ = create<Optimizer>(selection, {flat_.get()});
  }

  at::Tensor& values() { return flat_->values(); }
  Optimizer& optimizer() { return *optimizer_; }
  nn::FlatParameters& flat() { return *flat_; }
  /// A step with gradients that depend on `round` alone, `factor` times as large.
  void step(int round, double rate, double scale, double factor = 1) {
    set_gradients(round, factor);
    optimizer_->step(rate, scale);
  }
  void set_gradients(int round, double factor = 1) {
    const at::NoGradGuard no_gradients;
    const at::Tensor numbers = at::arange(values().numel(), at::kFloat);
    flat_->gradients().copy_(at::sin(numbers * (1.1 + round)) * factor);
  }

 private:
  torch::nn::Module module_;
  std::unique_ptr<nn::FlatParameters> flat_;
  std::unique_ptr<Optimizer> optimizer_;
};

Findings steps(const Selection& selection) {
  Problem problem(selection);
  const at::Tensor before = problem.values().clone();
  problem.step(1, 0.1, 1.0);
  if (!at::isfinite(problem.values()).all().item<bool>())
    return {"a step leaves parameters that are not finite"};
  if (at::equal(problem.values(), before))
    return {"a step changes no parameter"};
  if (problem.optimizer().steps() != 1)
    return {fmt::format("steps() is {} after one step: count steps in steps_",
                        problem.optimizer().steps())};
  return {};
}

/// The factors differ, because a step may depend on the ratio of gradients only.
Findings scaled_gradients(const Selection& selection) {
  Problem scaled(selection);
  Problem plain(selection);
  for (const auto& [round, factor] : {std::pair(1, 16.0), {2, 0.25}, {3, 4.0}, {4, 0.0625}}) {
    scaled.step(round, 0.1, 1 / factor, factor);
    plain.step(round, 0.1, 1.0);
  }
  if (at::allclose(scaled.values(), plain.values(), 1e-4, 1e-6))
    return {};
  return {
      "gradients x times as large with gradient_scale 1/x give different parameters: every "
      "gradient must be multiplied by gradient_scale when it is read"};
}

Findings renewed_copy(const Selection& selection) {
  Problem problem(selection);
  problem.flat().refresh_bf16();
  problem.step(1, 0.1, 1.0);
  if (at::equal(problem.flat().bf16(), problem.values().to(at::kBFloat16)))
    return {};
  return {
      "after a step, the bf16 copy does not have the new values: a model that is trained in bf16 "
      "would never change. Call refresh_bf16() of the parameters if they have a copy"};
}

Findings restored(const Selection& selection) {
  const at::NoGradGuard no_gradients;
  Problem unbroken(selection);
  for (const int round : {1, 2}) unbroken.step(round, 0.1, 1.0);
  Problem resumed(selection);
  resumed.values().copy_(unbroken.values());
  const auto saved = unbroken.optimizer().state();
  for (auto& [name, tensor] : resumed.optimizer().state()) tensor.copy_(saved.at(name));
  resumed.optimizer().set_steps(unbroken.optimizer().steps());
  for (const int round : {3, 4}) {
    unbroken.step(round, 0.1, 1.0);
    resumed.step(round, 0.1, 1.0);
  }
  if (at::equal(resumed.values(), unbroken.values()))
    return {};
  return {
      "after state() and steps() are restored into a new optimizer, steps differ: state() must "
      "return tensors that can be overwritten in place, and everything that a step depends on"};
}

/// Two optimizers, each with half of the elements, against one with all of them.
Findings divided(const Selection& selection) {
  const at::NoGradGuard no_gradients;
  Problem whole(selection);
  if (!whole.optimizer().is_elementwise())
    return {};
  Problem halves(selection);
  const int64_t all = halves.values().numel(), half = all / 2;
  nn::FlatParameters first = halves.flat().slice(0, half);
  nn::FlatParameters second = halves.flat().slice(half, all - half);
  const auto of_first = create<Optimizer>(selection, {&first});
  const auto of_second = create<Optimizer>(selection, {&second});
  for (const int round : {1, 2}) {
    whole.step(round, 0.1, 0.5);
    halves.set_gradients(round);
    of_first->step(0.1, 0.5);
    of_second->step(0.1, 0.5);
  }
  if (at::allclose(halves.values(), whole.values(), 1e-6, 1e-8))
    return {};
  return {
      "is_elementwise() is true, but two optimizers with half of the parameters each give other "
      "parameters than one with all of them: the state cannot be divided between processes"};
}

std::unique_ptr<LrScheduler> make_schedule(const Selection& selection) {
  return create<LrScheduler>(selection, {0.5, 16, 1000});
}

Findings rates(const Selection& selection) {
  const auto make = [&] { return make_schedule(selection); };
  const auto schedule = make();
  for (const int64_t updates : {0, 1, 7, 500, 1000, 5000}) {
    const double rate = schedule->rate(updates);
    if (!std::isfinite(rate) || rate < 0)
      return {fmt::format("the rate after {} updates is {}", updates, rate)};
    if (make()->rate(updates) != rate)
      return {
          fmt::format("the rate after {} updates depends on earlier calls: it must be a function "
                      "of the number of updates only, because nothing is restored on resume",
                      updates)};
  }
  return {};
}

/// A validation that is better than the one before, and some that are not.
Findings resumed_schedule(const Selection& selection) {
  const auto unbroken = make_schedule(selection), resumed = make_schedule(selection);
  int64_t epoch = 1;
  const auto end_epoch = [&](LrScheduler& schedule, double value) {
    schedule.end_epoch(epoch * 100, value);
    schedule.begin_epoch(epoch + 1);
  };
  unbroken->begin_epoch(1);
  for (const double value : {3.0, 2.0, 2.5, 2.5, 2.5}) {
    end_epoch(*unbroken, value);
    ++epoch;
  }
  resumed->restore(unbroken->state());
  resumed->begin_epoch(epoch);
  for (const double value : {2.5, 2.5, 1.0, 1.5}) {
    const double expected = unbroken->rate(epoch * 100 + 50),
                 rate = resumed->rate(epoch * 100 + 50);
    if (rate != expected)
      return {fmt::format(
          "in epoch {}, the rate is {} in an uninterrupted run, and {} after state() was restored: "
          "state() must have everything that end_epoch() changes",
          epoch,
          expected,
          rate)};
    for (LrScheduler* schedule : {unbroken.get(), resumed.get()}) end_epoch(*schedule, value);
    ++epoch;
  }
  return {};
}

}  // namespace

std::vector<Check> optimizer_suite(const Selection& selection) {
  return {{"a step changes parameters and is counted", [&] { return steps(selection); }},
          {"gradients are scaled when they are read", [&] { return scaled_gradients(selection); }},
          {"a step renews the bf16 copy", [&] { return renewed_copy(selection); }},
          {"a restored state continues bit-exactly", [&] { return restored(selection); }},
          {"an element-wise optimizer can be divided", [&] { return divided(selection); }}};
}

std::vector<Check> lr_scheduler_suite(const Selection& selection) {
  return {{"rates are finite and depend only on the number of updates",
           [&] { return rates(selection); }},
          {"a restored schedule continues with the same rates",
           [&] { return resumed_schedule(selection); }}};
}

}  // namespace phraseq::conformance

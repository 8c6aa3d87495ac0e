#include "core/conformance/architecture/gradient_checks.h"

#include <algorithm>
#include <cmath>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include "core/conformance/fixtures/small_model.h"

namespace phraseq::conformance {
namespace {

constexpr size_t kManyParameters = 120;  // tensors that are checked one by one

Findings same_seed_same_masks(const Registry& registry, const Selection& selection) {
  SmallModel model(registry, selection, nn::Precision::kFp64);
  model.disturb();
  const auto first = model.training_loss(toy_examples()).item<double>();
  const auto second = model.training_loss(toy_examples()).item<double>();
  if (first == second)
    return {};
  return {fmt::format(
      "two training passes with the same seed give {:.9g} and {:.9g}: either randomness does not "
      "come from the Context (use nn::dropout), or a pass leaves state behind",
      first,
      second)};
}

/// The flat gradient of a training pass [elements].
at::Tensor gradients_of_pass(SmallModel& model, const TrialPass& pass) {
  model.flat().zero_gradients();
  model.training_loss(toy_examples(), pass).backward();
  return model.flat().gradients().clone();
}

/// --checkpoint-activations: masks are drawn again, sums have the same order.
Findings recomputed_layers(const Registry& registry, const Selection& selection) {
  for (const nn::Precision precision : {nn::Precision::kFp64, nn::Precision::kFp32}) {
    SmallModel model(registry, selection, precision);
    model.disturb();
    const at::Tensor kept = gradients_of_pass(model, {});
    const at::Tensor again = gradients_of_pass(model, {.recompute = true});
    if (at::equal(kept, again))
      continue;
    for (const auto& entry : model.flat().entries()) {
      const auto part = [&](const at::Tensor& all) {
        return all.narrow(0, entry.offset, entry.parameter.numel());  // [elements]
      };
      if (!at::equal(part(kept), part(again)))
        return {entry.name +
                ": the gradient differs when layers are computed again in the backward "
                "pass (nn::recomputed); a part must draw its randomness from the context "
                "that it is given"};
    }
  }
  return {};
}

/// A model with the analytic gradient of its training loss, and that loss a step away.
class Slope {
 public:
  Slope(const Registry& registry, const Selection& selection)
      : model_(registry, selection, nn::Precision::kFp64) {
    model_.disturb();
    model_.flat().zero_gradients();
    model_.training_loss(toy_examples()).backward();
  }

  nn::FlatParameters& flat() { return model_.flat(); }
  double analytic(const at::Tensor& direction) {
    return (flat().gradients() * direction).sum().item<double>();
  }
  double numeric(const at::Tensor& direction, double step) {
    const at::NoGradGuard no_gradients;
    const at::Tensor values = flat().values().clone();
    flat().values().add_(direction, step);
    const double above = model_.training_loss(toy_examples()).item<double>();
    flat().values().copy_(values).sub_(direction, step);
    const double below = model_.training_loss(toy_examples()).item<double>();
    flat().values().copy_(values);
    return (above - below) / (2 * step);
  }

 private:
  SmallModel model_;
};

/// Empty when both agree. A ReLU may bend between the two points: then a smaller step does.
std::string disagreement(Slope& slope, const at::Tensor& direction, const std::string& whose) {
  const double analytic = slope.analytic(direction);
  double numeric = 0;
  for (const double step : {1e-6, 1e-7}) {
    numeric = slope.numeric(direction, step);
    if (std::abs(analytic - numeric) <= 3e-5 * std::abs(analytic) + 5e-6 * (1e-6 / step))
      return {};
  }
  return fmt::format("{}: backward gives {:.6g}, finite differences of the loss give {:.6g}",
                     whose,
                     analytic,
                     numeric);
}

Findings finite_differences(const Registry& registry, const Selection& selection) {
  Findings findings;
  Slope slope(registry, selection);
  const at::Tensor all =
      at::sin(at::arange(slope.flat().values().numel(), slope.flat().values().options()) * 1.7);
  const auto note = [&](const std::string& finding) {
    if (!finding.empty())
      findings.push_back(finding);
  };
  note(disagreement(slope, all, "all parameters together"));
  const auto& entries = slope.flat().entries();
  for (size_t i = 0; i < std::min(entries.size(), kManyParameters); ++i) {
    at::Tensor direction = at::zeros_like(all);
    const int64_t size = entries[i].parameter.numel();
    direction.narrow(0, entries[i].offset, size).copy_(all.narrow(0, entries[i].offset, size));
    note(disagreement(slope, direction, entries[i].name));
  }
  return findings;
}

}  // namespace

std::vector<Check> gradient_checks(const Registry& registry, const Selection& selection) {
  return {{"randomness in training comes from its Context only",
           [&registry, &selection] { return same_seed_same_masks(registry, selection); }},
          {"gradients keep their bits when layers are computed again in the backward pass",
           [&registry, &selection] { return recomputed_layers(registry, selection); }},
          {"gradients equal finite differences",
           [&registry, &selection] { return finite_differences(registry, selection); }}};
}

}  // namespace phraseq::conformance

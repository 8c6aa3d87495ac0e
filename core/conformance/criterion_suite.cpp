#include "core/conformance/criterion_suite.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/sin.h>
#include <fmt/format.h>

#include "core/conformance/criterion/likelihood_checks.h"
#include "core/conformance/fixtures/criterion_setting.h"

namespace phraseq::conformance {
namespace {

bool close(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

Findings criterion_report(const Selection& selection) {
  Findings findings;
  const CriterionSetting setting(selection);
  const LossReport report = setting.loss();
  if (!report.loss.defined() || report.loss.numel() != 1)
    return {"LossReport::loss is not a scalar tensor"};
  const auto loss = report.loss.item<double>();
  if (!std::isfinite(loss))
    findings.push_back(fmt::format("the loss is {}", loss));
  if (!close(loss, report.loss_sum, 1e-6))
    findings.push_back(
        fmt::format("loss is {:.9g}, but loss_sum is {:.9g}", loss, report.loss_sum));
  if (report.sentences != static_cast<int64_t>(setting.sentences())) {
    findings.push_back(
        fmt::format("sentences is {} for {} sentences", report.sentences, setting.sentences()));
  }
  if (report.tokens < 1 || report.tokens > setting.tokens()) {
    findings.push_back(
        fmt::format("tokens is {} for {} target tokens", report.tokens, setting.tokens()));
  }
  if (!close(setting.loss().loss_sum, report.loss_sum, 0))
    findings.push_back("the same batch and seed give a different loss the second time");
  return findings;
}

Findings sums_add_up(const Selection& selection) {
  Findings findings;
  const CriterionSetting setting(selection);
  const LossReport whole = setting.loss();
  LossReport parts;
  for (size_t i = 0; i < setting.sentences(); ++i) parts.add(setting.loss_of_sentence(i));
  const auto compare = [&](const std::string& name, double together, double apart) {
    if (!close(together, apart, 1e-9)) {
      findings.push_back(
          fmt::format("{} is {:.9g} for a batch and {:.9g} summed over its sentences: report sums, "
                      "not means; the trainer normalizes them",
                      name,
                      together,
                      apart));
    }
  };
  compare("loss_sum", whole.loss_sum, parts.loss_sum);
  compare("nll_sum", whole.nll_sum, parts.nll_sum);
  compare("tokens", static_cast<double>(whole.tokens), static_cast<double>(parts.tokens));
  compare("sentences", static_cast<double>(whole.sentences), static_cast<double>(parts.sentences));
  for (const auto& [name, value] : whole.extras)
    compare("extra '" + name + "'", value, parts.extras[name]);
  return findings;
}

/// How much the loss changes with the values of a tensor in a direction, by finite differences.
double numeric_slope(const CriterionSetting& setting,
                     const at::Tensor& tensor,
                     const at::Tensor& direction) {
  constexpr double kStep = 1e-6;
  const at::NoGradGuard no_gradients;
  at::Tensor values = tensor.detach();
  values.add_(direction, kStep);
  const double above = setting.loss().loss_sum;
  values.add_(direction, -2 * kStep);
  const double below = setting.loss().loss_sum;
  values.add_(direction, kStep);
  return (above - below) / (2 * kStep);
}

Findings gradient(const Selection& selection) {
  Findings findings;
  const CriterionSetting setting(selection);
  setting.loss().loss.backward();
  for (const auto& [name, tensor] : {std::pair<const char*, at::Tensor>{"hidden", setting.hidden()},
                                     {"output_weight", setting.weight()}}) {
    if (!tensor.grad().defined()) {
      findings.push_back(fmt::format("no gradient reaches DecoderOutput::{}", name));
      continue;
    }
    const at::Tensor direction =
        at::sin(at::arange(tensor.numel(), at::kDouble) * 1.7).view(tensor.sizes());
    const double numeric = numeric_slope(setting, tensor, direction);
    const auto analytic = (tensor.grad() * direction).sum().item<double>();
    if (!close(analytic, numeric, 1e-5)) {
      findings.push_back(fmt::format(
          "DecoderOutput::{}: backward gives {:.6g}, finite differences of the loss give {:.6g}",
          name,
          analytic,
          numeric));
    }
  }
  return findings;
}

}  // namespace

std::vector<Check> criterion_suite(const Selection& selection) {
  std::vector<Check> checks = {
      {"the report counts sentences and tokens", [&] { return criterion_report(selection); }},
      {"sums add up over batches", [&] { return sums_add_up(selection); }},
      {"gradients equal finite differences", [&] { return gradient(selection); }}};
  for (Check& check : likelihood_checks(selection)) checks.push_back(std::move(check));
  return checks;
}

}  // namespace phraseq::conformance

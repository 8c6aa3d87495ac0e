#include "core/conformance/architecture/forward_checks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/isnan.h>
#include <fmt/format.h>

#include "core/conformance/fixtures/small_model.h"
#include "core/nn/shape_text.h"

namespace phraseq::conformance {
namespace {

using nn::Precision;
using nn::shape_text;

/// The seed decides all first values; no parameter keeps what was there before.
Findings first_values(const Registry& registry, const Selection& selection) {
  Findings findings;
  const auto drawn = [&](uint64_t seed) {
    auto model = std::make_unique<SmallModel>(registry, selection, Precision::kFp32);
    const at::NoGradGuard no_gradients;
    model->flat().values().fill_(std::numeric_limits<double>::quiet_NaN());
    model->model().initialize(seed);
    return model;
  };
  const auto first = drawn(3);
  for (const auto& entry : first->flat().entries()) {
    if (at::isnan(entry.parameter).any().item<bool>()) {
      findings.push_back(fmt::format(
          "`initialize` does not set {}: its initial values would be undefined", entry.name));
    }
  }
  if (!findings.empty())
    return findings;
  const std::string other = first_difference(first->flat(), drawn(3)->flat());
  if (!other.empty())
    findings.push_back(
        fmt::format("`initialize` gives {} different values for the same seed", other));
  if (first_difference(first->flat(), drawn(4)->flat()).empty())
    findings.push_back("`initialize` gives the same values for every seed");
  return findings;
}

/// Appends a sentence for each part of the output without the shape that it must have.
void check_output_shapes(const DecoderOutput& output,
                         int64_t tokens,
                         int64_t vocabulary,
                         Findings& findings) {
  const at::Tensor &hidden = output.hidden, &weight = output.output_weight;
  if (!hidden.defined() || hidden.dim() != 2 || hidden.size(0) != tokens)
    findings.push_back(
        fmt::format("DecoderOutput::hidden is {}; expected [target tokens, model] with {} rows "
                    "(packed rows, no padding)",
                    shape_text(hidden),
                    tokens));
  if (!weight.defined() || weight.dim() != 2 || weight.size(0) != vocabulary)
    findings.push_back(
        fmt::format("DecoderOutput::output_weight is {}; expected [vocab, model] with {} rows",
                    shape_text(weight),
                    vocabulary));
  if (output.output_bias.defined() && output.output_bias.numel() != vocabulary)
    findings.push_back(
        fmt::format("DecoderOutput::output_bias is {}; expected [vocab] or undefined",
                    shape_text(output.output_bias)));
}

/// Appends a sentence for each impossible size: schedules and limits are computed from them.
void check_sizes(const Architecture& model, Findings& findings) {
  if (model.model_width() <= 0)
    findings.emplace_back("model_width() is not positive: the noam schedule divides by it");
  if (model.max_source_positions() <= 0 || model.max_target_positions() <= 0)
    findings.emplace_back("max_source_positions() or max_target_positions() is not positive");
  if (!(model.multiply_adds(10, 10) > 0 &&
        model.multiply_adds(20, 20) > model.multiply_adds(10, 10)))
    findings.emplace_back("multiply_adds() does not grow with the number of tokens");
}

Findings shapes(const Registry& registry, const Selection& selection) {
  Findings findings;
  SmallModel small(registry, selection, Precision::kFp64);
  Architecture& model = small.model();
  const at::NoGradGuard no_gradients;
  nn::Context pass = small.context();
  const Batch batch = small.batch(toy_examples());
  const DecoderOutput output = model.forward(batch, pass);
  check_output_shapes(output,
                      batch.target_out.numel(),
                      small.translation_model().task->target_dictionary().size(),
                      findings);
  if (!findings.empty())
    return findings;
  if (!at::isfinite(output.logits(pass)).all().item<bool>())
    findings.emplace_back("not all logits are finite");
  check_sizes(model, findings);
  return findings;
}

/// The first score that differs.
Findings compare_scores(const std::vector<double>& expected,
                        const std::vector<double>& found,
                        double tolerance,
                        const std::string& meaning) {
  if (expected.size() != found.size())
    return {fmt::format("{} scores against {}; {}", expected.size(), found.size(), meaning)};
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!(std::abs(expected[i] - found[i]) <= tolerance)) {
      return {fmt::format("target token {}: ln p = {:.6g} against {:.6g}; {}",
                          i + 1,
                          expected[i],
                          found[i],
                          meaning)};
    }
  }
  return {};
}

Findings alone_as_in_a_batch(const Registry& registry, const Selection& selection) {
  SmallModel model(registry, selection, Precision::kFp64);
  model.disturb();
  std::vector<Example> examples = toy_examples();
  const auto together = model.log_probabilities(examples);
  std::vector<double> alone;
  for (const Example& example : examples) {
    const auto scores = model.log_probabilities({example});
    alone.insert(alone.end(), scores.begin(), scores.end());
  }
  return compare_scores(together,
                        alone,
                        1e-9,
                        "the first result from a batch of three, the second from the sentence "
                        "alone: the model mixes sentences or reads padding");
}

Findings order_in_a_batch(const Registry& registry, const Selection& selection) {
  SmallModel model(registry, selection, Precision::kFp64);
  model.disturb();
  std::vector<Example> examples = toy_examples();
  const auto forwards = model.log_probabilities({examples[0], examples[1]});
  const auto backwards = model.log_probabilities({examples[1], examples[0]});
  std::vector<double> turned(backwards.end() - static_cast<int64_t>(examples[0].target.size()),
                             backwards.end());
  turned.insert(turned.end(),
                backwards.begin(),
                backwards.end() - static_cast<int64_t>(examples[0].target.size()));
  return compare_scores(
      forwards,
      turned,
      1e-9,
      "the second result with the batch in another order: the model mixes sentences");
}

Findings short_sentences(const Registry& registry, const Selection& selection) {
  SmallModel model(registry, selection, Precision::kFp64);
  model.disturb();
  Findings findings;
  const std::vector<Example> pairs = {toy_example(0, {4, kEos}, {5, kEos}),
                                      toy_example(1, {kEos}, {6, kEos}),
                                      toy_example(2, {7, 5, kEos}, {kEos})};
  const char* const names[] = {"one word", "an empty source", "an empty target"};
  for (size_t i = 0; i < pairs.size(); ++i) {
    try {
      for (const double score : model.log_probabilities({pairs[i]})) {
        if (!std::isfinite(score))
          findings.push_back(fmt::format("{}: ln p is {}", names[i], score));
      }
    } catch (const std::exception& failure) {
      findings.push_back(fmt::format("{}: {}", names[i], failure.what()));
    }
  }
  return findings;
}

Findings arithmetic_of_training(const Registry& registry, const Selection& selection) {
  Findings findings;
  SmallModel single(registry, selection, Precision::kFp32);
  SmallModel brain(registry, selection, Precision::kBf16);
  const double expected = single.training_loss(toy_examples()).item<double>();
  const at::Tensor loss = brain.training_loss(toy_examples());
  brain.flat().zero_gradients();
  loss.backward();
  if (!at::isfinite(brain.flat().gradients()).all().item<bool>())
    findings.push_back("a gradient in bf16 is not finite");
  const auto found = loss.item<double>();
  if (!(std::abs(found - expected) <= 0.05 * std::abs(expected))) {
    findings.push_back(
        fmt::format("the loss is {:.5g} in bf16 and {:.5g} in fp32; activations must have the type "
                    "Context::activation_type(), sums, norms and softmax must stay in fp32",
                    found,
                    expected));
  }
  return findings;
}

/// The flat gradient of a training pass whose loss is multiplied by `loss_scale`, divided by that
/// scale.
at::Tensor scaled_gradients(const SmallModel& model, double loss_scale) {
  model.flat().zero_gradients();
  (model.training_loss(toy_examples(), {.loss_scale = loss_scale}) * loss_scale).backward();
  return model.flat().gradients() / loss_scale;  // [elements]
}

/// Rounds the parameters of the fp32 model as well: otherwise, a ReLU near zero could be on for one
/// model and off for the other.
void round_to_fp16(nn::FlatParameters& parameters) {
  const at::NoGradGuard no_gradients;
  parameters.values().copy_(parameters.values().to(at::kHalf));  // [elements]
}

/// How far the gradients in fp16 are from those in fp32, as a share of their size.
double fp16_distance(const Registry& registry, const Selection& selection, uint64_t seed) {
  constexpr double kLossScale = 128.0;
  SmallModel single(registry, selection, Precision::kFp32, seed);
  SmallModel half(registry, selection, Precision::kFp16, seed);
  round_to_fp16(single.flat());
  const at::Tensor expected = scaled_gradients(single, 1.0),
                   found = scaled_gradients(half, kLossScale);
  return ((found - expected).norm() / expected.norm()).item<double>();
}

/// fp16 has 11 bits: a gradient that is the sum of some hundred products differs by some 0.001 of
/// its size; a mask or a sum that is wrong, by far more than the limit. Of three models, one may
/// differ by more: where a ReLU's input is so close to zero that rounding changes its sign.
Findings training_in_fp16(const Registry& registry, const Selection& selection) {
  constexpr double kLimit = 0.02;
  std::vector<double> distances;
  for (const uint64_t seed : {5, 11, 23})
    distances.push_back(fp16_distance(registry, selection, seed));
  std::sort(distances.begin(), distances.end());
  if (distances[1] <= kLimit)
    return {};
  return {
      fmt::format("the gradients in fp16 and in fp32 differ by {:.3g} of their size; activations "
                  "must have the type Context::activation_type(), sums, norms and softmax must "
                  "stay in fp32",
                  distances[1])};
}

}  // namespace

std::vector<Check> forward_checks(const Registry& registry, const Selection& selection) {
  const auto check = check_maker(registry, selection);
  return {
      check("initialize(seed) sets every parameter, from the seed only", first_values),
      check("forward returns packed rows and the output matrix", shapes),
      check("a sentence has the same score alone and in a batch", alone_as_in_a_batch),
      check("the order of a batch does not matter", order_in_a_batch),
      check("single words, empty sources and empty targets are valid sentences", short_sentences),
      check("training in bf16 is close to training in fp32", arithmetic_of_training),
      check("the gradients in fp16, with a loss scale, are close to those in fp32",
            training_in_fp16),
  };
}

}  // namespace phraseq::conformance

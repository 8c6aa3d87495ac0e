#include "core/conformance/architecture/parameter_checks.h"

#include <set>
#include <sstream>
#include <string>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/sin.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include "core/conformance/fixtures/long_examples.h"
#include "core/conformance/fixtures/small_model.h"

namespace phraseq::conformance {
namespace {

using torch::autograd::AccumulateGrad;
using torch::autograd::Node;

/// The leaves that autograd gives a gradient when `loss` is differentiated.
std::vector<at::Tensor> leaves_of(const at::Tensor& loss) {
  std::vector<at::Tensor> leaves;
  std::set<Node*> seen;
  std::vector<Node*> open = {loss.grad_fn().get()};
  while (!open.empty()) {
    Node* const node = open.back();
    open.pop_back();
    if (node == nullptr || !seen.insert(node).second)
      continue;
    if (auto* leaf = dynamic_cast<AccumulateGrad*>(node))
      leaves.push_back(leaf->variable);
    for (const auto& edge : node->next_edges()) open.push_back(edge.function.get());
  }
  return leaves;
}

std::string text_of_shape(const at::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.sizes();
  return text.str();
}

Findings every_leaf_is_registered(const Registry& registry, const Selection& selection) {
  Findings findings;
  SmallModel model(registry, selection, nn::Precision::kFp32);
  for (const at::Tensor& leaf : leaves_of(model.training_loss(toy_examples()))) {
    if (model.flat().gradient_view(leaf).defined())
      continue;
    findings.push_back(fmt::format(
        "a tensor of shape {} gets a gradient, but it is not a parameter of the model: the "
        "optimizer would not change it and a checkpoint would not contain it; register it with "
        "register_parameter, or its module with register_module",
        text_of_shape(leaf)));
  }
  return findings;
}

/// What a parameter without any gradient would change: nothing at all when it is not used.
bool has_influence(SmallModel& model,
                   const at::Tensor& parameter,
                   const std::vector<Example>& examples) {
  const at::NoGradGuard no_gradients;
  const auto loss = [&] { return model.training_loss(examples).item<double>(); };
  const double before = loss();
  at::Tensor values = parameter.detach();
  const at::Tensor kept = values.clone();
  values.add_(at::sin(at::arange(1, values.numel() + 1, values.options()) * 0.9).view_as(values));
  const bool differs = loss() != before;
  values.copy_(kept);
  return differs;
}

Findings every_parameter_is_used(const Registry& registry, const Selection& selection) {
  Findings findings;
  SmallModel model(registry, selection, nn::Precision::kFp64);
  const std::vector<Example> examples = long_examples(model.model());
  {
    const at::NoGradGuard no_gradients;
    nn::Context pass = model.context();
    if (!model.model().forward(model.batch(examples), pass).extras.empty())
      throw NotApplicable("its DecoderOutput has extras for a criterion of its own");
  }
  model.disturb();
  model.flat().zero_gradients();
  model.training_loss(examples).backward();
  for (const auto& entry : model.flat().entries()) {
    const at::Tensor gradient = model.flat().gradient_view(entry.parameter);
    if (gradient.count_nonzero().item<int64_t>() > 0 ||
        has_influence(model, entry.parameter, examples))
      continue;
    findings.push_back(
        fmt::format("{} has no influence on the loss: use it in `forward`, or do not register it; "
                    "does the model read a copy that was made before parameters were initialized?",
                    entry.name));
  }
  return findings;
}

}  // namespace

std::vector<Check> parameter_checks(const Registry& registry, const Selection& selection) {
  return {{"every trainable tensor is a registered parameter",
           [&registry, &selection] { return every_leaf_is_registered(registry, selection); }},
          {"every parameter has an influence on the loss",
           [&registry, &selection] { return every_parameter_is_used(registry, selection); }}};
}

}  // namespace phraseq::conformance

#include "core/criterion/named_criterion.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "core/plugin/component_call.h"

namespace phraseq {
namespace {

LossReport checked(LossReport report, const Component& component) {
  const at::Tensor& loss = report.loss;
  if (!loss.defined() || loss.numel() != 1)
    throw component_failure(component, "loss", "LossReport::loss is not a scalar");
  if (at::GradMode::is_enabled() && !loss.requires_grad()) {
    throw component_failure(
        component, "loss", "LossReport::loss does not depend on the parameters of the model");
  }
  const bool has_lost_tokens = report.tokens == 0 && report.nll_sum != 0;
  if (report.sentences < 1 || report.tokens < 0 || has_lost_tokens) {
    throw component_failure(component,
                            "loss",
                            fmt::format("LossReport counts {} sentences and {} tokens{}",
                                        report.sentences,
                                        report.tokens,
                                        has_lost_tokens ? ", but nll_sum is not 0" : ""));
  }
  return report;
}

}  // namespace

NamedCriterion::NamedCriterion(const Selection& selection, const CriterionSetup& setup)
    : component_(*selection.component), criterion_(create<Criterion>(selection, setup)) {}

LossReport NamedCriterion::loss(const DecoderOutput& output,
                                const Batch& batch,
                                nn::Context& context) {
  return checked(
      call_component(component_, "loss", [&] { return criterion_->loss(output, batch, context); }),
      component_);
}

LossReport NamedCriterion::loss_of_model(const ForwardPass& model,
                                         const Batch& batch,
                                         nn::Context& context) {
  return checked(
      call_component(
          component_, "loss", [&] { return criterion_->loss_of_model(model, batch, context); }),
      component_);
}

}  // namespace phraseq

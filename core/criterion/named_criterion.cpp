#include "core/criterion/named_criterion.h"

#include "core/plugin/component_call.h"

namespace phraseq {

NamedCriterion::NamedCriterion(const Selection& selection, const CriterionSetup& setup)
    : component_(*selection.component), criterion_(create<Criterion>(selection, setup)) {}

LossReport NamedCriterion::loss(const DecoderOutput& output,
                                const Batch& batch,
                                nn::Context& context) {
  return call_component(
      component_, "loss", [&] { return criterion_->loss(output, batch, context); });
}

LossReport NamedCriterion::loss_of_model(const ForwardPass& model,
                                         const Batch& batch,
                                         nn::Context& context) {
  return call_component(
      component_, "loss", [&] { return criterion_->loss_of_model(model, batch, context); });
}

}  // namespace phraseq

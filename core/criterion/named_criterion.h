#pragma once

#include <memory>

#include "core/base/api.h"
#include "core/criterion/criterion.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// A plugin's criterion: if it throws, the error names the plugin.
class PHRASEQ_API NamedCriterion : public Criterion {
 public:
  /// Makes the selected criterion.
  NamedCriterion(const Selection& selection, const CriterionSetup& setup);

  LossReport loss(const DecoderOutput& output, const Batch& batch, nn::Context& context) override;
  LossReport loss_of_model(const ForwardPass& model,
                           const Batch& batch,
                           nn::Context& context) override;
  bool uses_alignments() const override { return criterion_->uses_alignments(); }

 private:
  const Component& component_;
  std::unique_ptr<Criterion> criterion_;
};

}  // namespace phraseq

#pragma once

#include "core/criterion/criterion.h"

/// The focal loss (Lin et al. 2017, eq. 4): tokens that the model is sure of have less weight. A
/// starting point: replace the mathematics.
namespace @name@_plugin {

struct Settings final : phraseq::Options {
  double focus = 2.0;

  void describe(phraseq::OptionTable& table) override {
    table.field("@flag@-focus", focus, "Focusing parameter gamma; 0 = cross entropy.")
        .in(0.0, 10.0);
  }
};

/// sum over target tokens of -(1 - p)^focus ln p, natural logarithm.
class Loss final : public phraseq::Criterion {
 public:
  Loss(const Settings& options, const phraseq::CriterionSetup&) : options_(options) {}
  phraseq::LossReport loss(const phraseq::DecoderOutput& output,
                           const phraseq::Batch& batch,
                           phraseq::nn::Context& context) override;

 private:
  Settings options_;
};

}  // namespace @name@_plugin

#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/base/api.h"
#include "core/criterion/loss_report.h"
#include "core/data/batch.h"
#include "core/nn/architecture.h"
#include "core/nn/context.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The arguments of a criterion besides its options.
struct CriterionSetup {
  int64_t target_vocabulary = 0;  ///< number of symbols, including special ones
};

/// Runs the model, which is being trained or evaluated, on a batch with targets. Every run draws
/// the next dropout masks of its context.
using ForwardPass = std::function<DecoderOutput(const Batch&, nn::Context&)>;

/// The objective of training. A loss is a sum over the target tokens of a batch in nats, which
/// training divides by their number. An exception other than phraseq::Error is reported with the
/// plugin's name. Threads call it at the same time only on separate objects.
class PHRASEQ_API Criterion {
 public:
  static constexpr const char* kKind = "criterion";
  using Setup = CriterionSetup;
  using Factory = std::function<std::unique_ptr<Criterion>(const Options&, const Setup&)>;

  virtual ~Criterion() = default;
  /// Computes the loss from the output of one pass of a model over the batch.
  virtual LossReport loss(const DecoderOutput& output,
                          const Batch& batch,
                          nn::Context& context) = 0;
  /// Computes the loss of a model on a batch; training and validation call this. Runs the model
  /// once and passes its output to `loss`. A criterion that needs several passes (R-Drop), or a
  /// pass over a different batch, overrides this.
  virtual LossReport loss_of_model(const ForwardPass& model,
                                   const Batch& batch,
                                   nn::Context& context);
  /// True if the loss reads the alignments of a batch (--load-alignments).
  virtual bool uses_alignments() const { return false; }
};

}  // namespace phraseq

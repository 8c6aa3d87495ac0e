#include "core/criterion/criterion.h"

namespace phraseq {

LossReport Criterion::loss_of_model(const ForwardPass& model,
                                    const Batch& batch,
                                    nn::Context& context) {
  return loss(model(batch, context), batch, context);
}

}  // namespace phraseq

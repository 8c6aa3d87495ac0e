#include "core/optim/optimizer.h"

#include <stdexcept>

namespace phraseq {

void Optimizer::step_if(const at::Tensor& /*take_step*/,
                        double /*learning_rate*/,
                        const at::Tensor& /*gradient_scale*/) {
  throw std::logic_error("this optimizer has no step_if");
}

}  // namespace phraseq

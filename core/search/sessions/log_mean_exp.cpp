#include "core/search/sessions/log_mean_exp.h"

#include <cmath>

#include <ATen/ops/logsumexp.h>
#include <ATen/ops/stack.h>

namespace phraseq {

at::Tensor log_mean_exp(const std::vector<at::Tensor>& logarithms) {
  const double log_count = std::log(static_cast<double>(logarithms.size()));
  return at::logsumexp(at::stack(logarithms), 0).sub_(log_count);
}

}  // namespace phraseq

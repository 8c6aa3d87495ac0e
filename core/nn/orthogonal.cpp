#include "core/nn/orthogonal.h"

#include <tuple>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_qr.h>

namespace phraseq::nn {

void draw_orthogonal(Initialiser& initialiser, at::Tensor& matrix) {
  at::Tensor drawn = at::empty(matrix.sizes(), at::kFloat);
  initialiser.normal(drawn, 1.0);
  at::NoGradGuard no_grad;
  for (const at::Tensor& block : drawn.split(matrix.size(1)))
    block.copy_(std::get<0>(at::linalg_qr(block.to(at::kDouble))));
  matrix.copy_(drawn);
}

}  // namespace phraseq::nn

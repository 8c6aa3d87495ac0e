#include "core/optim/gradient.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <ATen/ops/cat.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>

namespace phraseq {

double gradient_norm(const at::Tensor& gradients) {
  constexpr int64_t kPiece = 1 << 16;
  double squares = 0;
  for (int64_t start = 0; start < gradients.numel(); start += kPiece) {
    const int64_t length = std::min(kPiece, gradients.numel() - start);
    const double norm = at::linalg_vector_norm(gradients.narrow(0, start, length)).item<double>();
    squares += norm * norm;
  }
  return std::sqrt(squares);
}

at::Tensor gradient_norm_on_device(const at::Tensor& gradients) {
  // The pieces are summed in the gradients' own type: in fp64, all gradients would be copied first.
  constexpr int64_t kPiece = 1024;
  const int64_t whole = gradients.numel() / kPiece * kPiece;
  const at::Tensor pieces =  // [pieces]
      at::linalg_vector_norm(gradients.narrow(0, 0, whole).view({-1, kPiece}), 2, 1);
  const at::Tensor rest =
      at::linalg_vector_norm(gradients.narrow(0, whole, gradients.numel() - whole));
  const at::Tensor all = at::cat({pieces, rest.reshape({1})});  // [pieces + 1]
  return at::linalg_vector_norm(all, 2, std::nullopt, /*keepdim=*/false, at::kDouble);
}

double clip_factor(double norm, double clip_norm) {
  return clip_norm > 0.0 && norm > clip_norm ? clip_norm / norm : 1.0;
}

at::Tensor clip_factor_on_device(const at::Tensor& norm, double clip_norm) {
  const at::Tensor one = at::ones_like(norm);
  return clip_norm > 0.0 ? at::where(norm.gt(clip_norm), clip_norm / norm, one) : one;
}

}  // namespace phraseq

#include "core/nn/loss/projected_divergence.h"

#include <algorithm>
#include <optional>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/base/error.h"
#include "core/nn/functional/matrix_product.h"
#include "core/nn/loss/projection_chunks.h"
#include "core/nn/optional_tensor.h"

namespace phraseq::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr double kExcludedLogit = -1e9;

/// The rows of the two passes, and the projection.
struct TwoPasses {
  at::Tensor one, other;  // [rows, model]
  at::Tensor matrix;      // [vocab, model] in the activation type
  at::Tensor bias;        // [vocab] or undefined
  const std::vector<int64_t>* excluded;
  at::ScalarType sum_type;
  double scale;  ///< of the gradients

  /// ln of the softmax of a chunk of rows, [rows, vocab].
  at::Tensor log_probabilities(const at::Tensor& rows) const {
    at::Tensor z = matrix_product(rows, matrix.t()).to(sum_type);  // [rows, vocab]
    if (bias.defined())
      z.add_(bias);
    for (const int64_t id : *excluded) z.select(1, id).fill_(kExcludedLogit);  // [rows]
    return at::log_softmax(z, 1);
  }

  at::Tensor scaled(const at::Tensor& gradient) const {
    return scale == 1.0 ? gradient : gradient.mul(scale);
  }
};

/// The gradients of both passes' rows, of the matrix and of the bias.
struct DivergenceGradients {
  at::Tensor one, other, weight, bias;

  /// dz [rows, vocab] of one pass's rows h [rows, model]; `d_rows` are the rows of `one` or `other`
  /// that receive their gradient.
  void add(const at::Tensor& dz,
           const at::Tensor& h,
           const at::Tensor& matrix,
           const at::Tensor& d_rows) {
    const at::Tensor narrow = dz.to(h.scalar_type());
    matrix_product_into(d_rows, narrow, matrix);  // [rows, model]
    add_matrix_product(weight, narrow.t(), h);    // [vocab, model]
    if (bias.defined())
      bias.add_(dz.sum(0));  // [vocab]
  }
};

/// d Σ (p - q)(ln p - ln q) / dz of the pass with the probabilities p:
/// p (d - KL(p‖q)) + p - q with d = ln p - ln q. All [rows, vocab].
at::Tensor gradient_of_logits(const at::Tensor& p, const at::Tensor& q, const at::Tensor& d) {
  const at::Tensor divergence = (p * d).sum(1, /*keepdim=*/true);  // [rows, 1]
  return p * (d - divergence) + p - q;
}

/// Returns Σ (p - q)(ln p - ln q) of `rows` rows from `first` on, in double precision. Adds their
/// gradients, unless `gradients` is null.
at::Tensor divergence_of_chunk(const TwoPasses& passes,
                               int64_t first,
                               int64_t rows,
                               DivergenceGradients* gradients) {
  const auto part = [&](const at::Tensor& x) { return x.narrow(0, first, rows); };
  const at::Tensor log_p = passes.log_probabilities(part(passes.one));    // [rows, vocab]
  const at::Tensor log_q = passes.log_probabilities(part(passes.other));  // [rows, vocab]
  const at::Tensor p = log_p.exp(), q = log_q.exp(), d = log_p - log_q;
  if (gradients) {
    gradients->add(passes.scaled(gradient_of_logits(p, q, d)),
                   part(passes.one),
                   passes.matrix,
                   part(gradients->one));
    gradients->add(passes.scaled(gradient_of_logits(q, p, -d)),
                   part(passes.other),
                   passes.matrix,
                   part(gradients->other));
  }
  return ((p - q) * d).sum(at::kDouble);
}

/// Variables: one, other, weight, bias (or none).
class Divergence : public torch::autograd::Function<Divergence> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& one,
                            const at::Tensor& other,
                            const at::Tensor& weight,
                            const std::optional<at::Tensor>& bias,
                            const TwoPasses& passes,
                            bool with_gradient) {
    DivergenceGradients gradients;
    if (with_gradient)
      gradients = {at::empty_like(one),
                   at::empty_like(other),
                   at::zeros_like(weight),
                   bias ? at::zeros_like(*bias) : at::Tensor()};
    constexpr int64_t kHeld = 12;  // two of each: logits, log-probabilities, gradients, temporaries
    const int64_t step = std::min(rows_of_a_chunk(one, weight.size(0), kHeld), one.size(0));
    at::Tensor sum = at::zeros({}, one.options().dtype(at::kDouble));
    for (int64_t first = 0; first < one.size(0); first += step)
      sum += divergence_of_chunk(
          passes, first, std::min(step, one.size(0) - first), with_gradient ? &gradients : nullptr);
    ctx->saved_data["scale"] = passes.scale;
    ctx->save_for_backward({gradients.one, gradients.other, gradients.weight, gradients.bias});
    return sum.to(passes.sum_type);
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    tensor_list gradients = ctx->get_saved_variables();
    const double scale = ctx->saved_data["scale"].toDouble();
    const at::Tensor factor = scale == 1.0 ? outputs[0] : outputs[0] / scale;
    for (at::Tensor& gradient : gradients) {
      if (gradient.defined())
        gradient = gradient.mul(factor.to(gradient.scalar_type()));
    }
    gradients.resize(6);  // none for the other arguments
    return gradients;
  }
};

}  // namespace

at::Tensor projected_divergence(const at::Tensor& one,
                                const at::Tensor& other,
                                const at::Tensor& weight,
                                const at::Tensor& bias,
                                const std::vector<int64_t>& excluded,
                                Context& context) {
  if (one.sizes() != other.sizes()) {
    throw UsageError(fmt::format("the two passes have {} and {} hidden states",
                                 fmt::join(one.sizes(), "x"),
                                 fmt::join(other.sizes(), "x")),
                     "Expected [rows, model] of one batch in both.");
  }
  const bool with_gradient =
      at::GradMode::is_enabled() &&
      (one.requires_grad() || other.requires_grad() || weight.requires_grad());
  const TwoPasses passes{one.contiguous().detach(),
                         other.contiguous().detach(),
                         context.compute(weight).detach(),
                         bias.defined() ? bias.detach() : bias,
                         &excluded,
                         weight.scalar_type(),
                         scale_of_gradient(one, context)};
  return Divergence::apply(one, other, weight, to_optional(bias), passes, with_gradient);
}

}  // namespace phraseq::nn

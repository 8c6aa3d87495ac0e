#include "core/nn/loss/projected_scores.h"

#include <optional>

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/logsumexp.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/nn/functional/matrix_product.h"
#include "core/nn/loss/projection_chunks.h"
#include "core/nn/optional_tensor.h"
#include "core/nn/parameters/parameter_gradient.h"

namespace phraseq::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// z = products + bias in the type of sums: products [rows, vocab], bias [vocab] or undefined.
at::Tensor with_bias(const at::Tensor& products, const at::Tensor& bias, at::ScalarType type) {
  const at::Tensor z = products.to(type);
  return bias.defined() ? z.add(bias) : z;
}

/// Variables: hidden, weight, bias (or none). Returns [2, rows]: target scores and normalizers.
class Scores : public torch::autograd::Function<Scores> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& hidden,
                            const at::Tensor& weight,
                            const std::optional<at::Tensor>& bias,
                            const at::Tensor& matrix,
                            const at::Tensor& targets) {
    const at::Tensor scores = at::empty({2, hidden.size(0)}, weight.options());
    over_chunks(
        hidden, matrix, [&](const at::Tensor& h, int64_t first, const at::Tensor& products) {
          const auto part = [&](const at::Tensor& x) {
            return x.narrow(0, first, h.size(0));  // [rows, …]
          };
          const at::Tensor z =
              with_bias(products, from_optional(bias), weight.scalar_type());  // [rows, vocab]
          part(scores[0]).copy_(z.gather(1, part(targets).unsqueeze(1)).squeeze(1));  // [rows]
          part(scores[1]).copy_(at::logsumexp(z, 1));                                 // [rows]
        });
    ctx->save_for_backward({hidden, weight, from_optional(bias), matrix, targets, scores[1]});
    return scores;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    const at::Tensor &hidden = saved[0], &weight = saved[1], &bias = saved[2], &matrix = saved[3],
                     &targets = saved[4], &normalizer = saved[5];
    const at::Tensor d_hidden = at::empty_like(hidden);
    ParameterGradient d_weight({}, weight.sizes(), weight.options());
    std::optional<ParameterGradient> d_bias;
    if (bias.defined())
      d_bias.emplace(at::Tensor(), bias.sizes(), bias.options());
    over_chunks(
        hidden, matrix, [&](const at::Tensor& h, int64_t first, const at::Tensor& products) {
          const auto part = [&](const at::Tensor& x) {
            return x.narrow(0, first, h.size(0));  // [rows, …]
          };
          at::Tensor dz = with_bias(products, bias, weight.scalar_type());  // [rows, vocab]
          dz.sub_(part(normalizer).unsqueeze(1))  // [rows, vocab] - [rows, 1]
              .exp_()
              .mul_(part(outputs[0][1]).unsqueeze(1));  // [rows, vocab] * [rows, 1]
          dz.scatter_add_(1,
                          part(targets).unsqueeze(1),         // [rows, 1]
                          part(outputs[0][0]).unsqueeze(1));  // [rows, 1]
          if (d_bias)
            d_bias->add(dz.sum(0));  // [vocab]
          const at::Tensor narrow = dz.to(hidden.scalar_type());
          matrix_product_into(part(d_hidden), narrow, matrix);  // [rows, model]
          d_weight.add_product(narrow.t(), h);                  // [vocab, model]
        });
    return {
        d_hidden, d_weight.for_autograd(), d_bias ? d_bias->for_autograd() : at::Tensor(), {}, {}};
  }
};

}  // namespace

ProjectedScores projected_scores(const at::Tensor& hidden,
                                 const at::Tensor& weight,
                                 const at::Tensor& bias,
                                 const at::Tensor& targets,
                                 Context& context) {
  const at::Tensor scores = Scores::apply(
      hidden.contiguous(), weight, to_optional(bias), context.compute(weight), targets);
  return {scores[0], scores[1]};
}

}  // namespace phraseq::nn

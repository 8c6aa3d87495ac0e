#include <algorithm>
#include <limits>
#include <optional>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/base/error.h"
#include "core/nn/functional.h"
#include "core/nn/smoothing.h"

namespace phraseq::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr int64_t kChunkLogits = int64_t{1} << 21;  // logits held at a time on the CPU
constexpr int64_t kDeviceChunkLogits = int64_t{1} << 26;

at::ScalarType sum_type(const at::Tensor& x) {
  return x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

int64_t rows_of_a_chunk(const at::Tensor& hidden, int64_t vocabulary) {
  const int64_t logits = hidden.is_cpu() ? kChunkLogits : kDeviceChunkLogits;
  return std::max<int64_t>(16, logits / std::max<int64_t>(vocabulary, 1));
}

/// The output layer as products read it, and the ids that are out of the softmax.
struct Projection {
  at::Tensor weight;    ///< [vocab, model] in the activation type
  at::Tensor bias;      ///< [vocab] or undefined
  at::Tensor excluded;  ///< [n] int64

  at::Tensor logits(const at::Tensor& hidden) const {
    at::Tensor z = at::mm(hidden, weight.t()).to(sum_type(hidden));
    if (bias.defined())
      z.add_(bias);
    if (excluded.numel() > 0)
      z.index_fill_(1, excluded, -std::numeric_limits<double>::infinity());
    return z;
  }
};

/// An undefined tensor is no input of an autograd function; an empty optional is.
std::optional<at::Tensor> optional(const at::Tensor& x) {
  return x.defined() ? std::optional<at::Tensor>(x) : std::nullopt;
}

at::Tensor id_tensor(const std::vector<int64_t>& ids, at::Device device) {
  return at::tensor(ids, at::kLong).to(device);
}

/// A row's numbers of the smoothing rule, [rows] each.
struct RowTargets {
  at::Tensor uniform, extra, constant;

  RowTargets(const SmoothingRule& rule,
             const at::Tensor& targets,
             const at::Tensor& unsmoothed,
             at::ScalarType type) {
    const at::Tensor plain = at::isin(targets, unsmoothed);
    const auto pick = [&](double in_s, double outside) {
      return at::where(plain,
                       at::full({}, outside, plain.options().dtype(type)),
                       at::full({}, in_s, plain.options().dtype(type)));
    };
    uniform = pick(rule.target(true).uniform, rule.target(false).uniform);
    extra = pick(rule.target(true).extra, rule.target(false).extra);
    constant = pick(rule.target(true).constant, rule.target(false).constant);
  }
};

/// Sums over rows: loss, nll, correct.
struct Sums {
  double loss = 0, nll = 0;
  int64_t correct = 0;
};

/// Turns a chunk's logits into their gradient, in place when `with_gradient`, and adds to the sums.
void reduce_chunk(at::Tensor& z,
                  const at::Tensor& targets,
                  const SmoothingRule& rule,
                  bool with_gradient,
                  Sums& sums) {
  const at::Tensor unsmoothed = id_tensor(rule.unsmoothed(), z.device());
  const RowTargets row(rule, targets, unsmoothed, z.scalar_type());
  const at::Tensor gold = targets.unsqueeze(1);
  const at::Tensor lse = at::logsumexp(z, 1);
  const at::Tensor gold_logit = z.gather(1, gold).squeeze(1);
  const at::Tensor smoothed_sum = z.index_fill(1, unsmoothed, 0.0).sum(1);
  const at::Tensor loss = lse - row.uniform * smoothed_sum - row.extra * gold_logit + row.constant;
  sums.loss += loss.sum(at::kDouble).item<double>();
  sums.nll += (lse - gold_logit).sum(at::kDouble).item<double>();
  sums.correct += z.argmax(1).eq(targets).sum().item<int64_t>();
  if (!with_gradient)
    return;
  z.sub_(lse.unsqueeze(1)).exp_();
  at::Tensor q = row.uniform.unsqueeze(1).expand_as(z).index_fill(1, unsmoothed, 0.0);
  z.sub_(q).scatter_add_(1, gold, -row.extra.unsqueeze(1));
}

struct Gradients {
  at::Tensor hidden, weight, bias;
};

void add_gradients(Gradients& gradients,
                   const at::Tensor& dz,
                   const at::Tensor& hidden,
                   const Projection& projection,
                   int64_t first_row) {
  const at::Tensor narrow = dz.to(hidden.scalar_type());
  at::Tensor d_hidden = gradients.hidden.narrow(0, first_row, hidden.size(0));
  at::mm_out(d_hidden, narrow, projection.weight);
  if (gradients.weight.scalar_type() == narrow.scalar_type()) {
    gradients.weight.addmm_(narrow.t(), hidden);
  } else {
    gradients.weight.add_(at::mm(narrow.t(), hidden));
  }
  if (gradients.bias.defined())
    gradients.bias.add_(dz.sum(0));
}

class ProjectedCrossEntropy : public torch::autograd::Function<ProjectedCrossEntropy> {
 public:
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& hidden,
                            const at::Tensor& weight,
                            const std::optional<at::Tensor>& given_bias,
                            const at::Tensor& compute_weight,
                            const at::Tensor& targets,
                            const SmoothingRule* rule,
                            bool with_gradient,
                            ProjectedLoss* result) {
    const at::Tensor bias = given_bias.value_or(at::Tensor());
    const Projection projection{compute_weight, bias, id_tensor(rule->excluded(), hidden.device())};
    Gradients gradients;
    if (with_gradient) {
      gradients.hidden = at::empty_like(hidden);
      gradients.weight = at::zeros_like(weight);
      if (bias.defined())
        gradients.bias = at::zeros_like(bias);
    }
    Sums sums;
    const int64_t step = rows_of_a_chunk(hidden, weight.size(0));
    for (int64_t first = 0; first < hidden.size(0); first += step) {
      const int64_t rows = std::min(step, hidden.size(0) - first);
      const at::Tensor h = hidden.narrow(0, first, rows);
      at::Tensor z = projection.logits(h);
      reduce_chunk(z, targets.narrow(0, first, rows), *rule, with_gradient, sums);
      if (with_gradient)
        add_gradients(gradients, z, h, projection, first);
    }
    result->loss_sum = sums.loss;
    result->nll_sum = sums.nll;
    result->correct = sums.correct;
    context->save_for_backward({gradients.hidden, gradients.weight, gradients.bias});
    return at::full({}, sums.loss, hidden.options().dtype(sum_type(hidden)));
  }

  static tensor_list backward(AutogradContext* context, tensor_list outputs) {
    const auto saved = context->get_saved_variables();
    const auto scaled = [&](const at::Tensor& gradient) {
      return gradient.defined() ? gradient * outputs[0].to(gradient.scalar_type()) : gradient;
    };
    return {scaled(saved[0]), scaled(saved[1]), scaled(saved[2]), {}, {}, {}, {}, {}};
  }
};

void check_shapes(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& targets) {
  if (hidden.dim() == 2 && weight.dim() == 2 && hidden.size(1) == weight.size(1) &&
      targets.dim() == 1 && targets.size(0) == hidden.size(0)) {
    return;
  }
  throw UsageError(fmt::format("projection: hidden {}, weight {} and targets {} do not fit",
                               fmt::join(hidden.sizes(), "x"),
                               fmt::join(weight.sizes(), "x"),
                               fmt::join(targets.sizes(), "x")),
                   "hidden [rows, model], weight [vocab, model] and targets [rows] were expected");
}

}  // namespace

ProjectedLoss projected_cross_entropy(const at::Tensor& hidden,
                                      const at::Tensor& weight,
                                      const at::Tensor& bias,
                                      const at::Tensor& targets,
                                      double epsilon,
                                      Smoothing smoothing,
                                      const std::vector<int64_t>& excluded,
                                      const std::vector<int64_t>& unsmoothed,
                                      Context& context) {
  check_shapes(hidden, weight, targets);
  const SmoothingRule rule(smoothing, epsilon, weight.size(0), excluded, unsmoothed);
  const bool with_gradient =
      at::GradMode::is_enabled() && (hidden.requires_grad() || weight.requires_grad());
  ProjectedLoss result;
  result.loss = ProjectedCrossEntropy::apply(hidden,
                                             weight,
                                             optional(bias),
                                             context.compute(weight),
                                             targets,
                                             &rule,
                                             with_gradient,
                                             &result);
  return result;
}

at::Tensor target_log_probabilities(const at::Tensor& hidden,
                                    const at::Tensor& weight,
                                    const at::Tensor& bias,
                                    const at::Tensor& targets,
                                    const std::vector<int64_t>& excluded,
                                    Context& context) {
  check_shapes(hidden, weight, targets);
  at::NoGradGuard no_grad;
  const Projection projection{context.compute(weight), bias, id_tensor(excluded, hidden.device())};
  at::Tensor result = at::empty({hidden.size(0)}, hidden.options().dtype(sum_type(hidden)));
  const int64_t step = rows_of_a_chunk(hidden, weight.size(0));
  for (int64_t first = 0; first < hidden.size(0); first += step) {
    const int64_t rows = std::min(step, hidden.size(0) - first);
    const at::Tensor z = projection.logits(hidden.narrow(0, first, rows));
    const at::Tensor gold = targets.narrow(0, first, rows).unsqueeze(1);
    result.narrow(0, first, rows).copy_(z.gather(1, gold).squeeze(1) - at::logsumexp(z, 1));
  }
  return result;
}

}  // namespace phraseq::nn

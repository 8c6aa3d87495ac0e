#include "core/optim/optimizers/adafactor.h"

#include <algorithm>
#include <cmath>

#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/accumulate.h>

#include "core/optim/sixteen_bit_copies.h"
#include "core/options/require_valid.h"

namespace phraseq {
namespace {

bool is_factored(const at::Tensor& parameter) { return parameter.dim() >= 2; }

double root_mean_square(const at::Tensor& tensor) {
  return tensor.norm().item<double>() / std::sqrt(static_cast<double>(tensor.numel()));
}

/// A tensor's sizes without one dimension, counted from the end.
std::vector<int64_t> sizes_without(const at::Tensor& tensor, int64_t from_end) {
  std::vector<int64_t> sizes = tensor.sizes().vec();
  sizes.erase(sizes.end() - from_end);
  return sizes;
}

at::Tensor view_of(const at::Tensor& buffer, int64_t offset, at::IntArrayRef sizes) {
  return buffer.narrow(0, offset, c10::multiply_integers(sizes)).view(sizes);  // [n] → sizes
}

}  // namespace

void AdafactorOptions::describe(OptionTable& table) {
  table.field("adafactor-eps",
              adafactor_eps,
              "Epsilons for the square of the gradient and for the scale of a parameter.");
  table.field("clip-threshold", clip_threshold, "Threshold of the root mean square of an update.")
      .in(1e-30, 1e30);
  table.field("decay-rate", decay_rate, "Exponent of the decay of the second moment.").in(-10, 0);
  table.field("beta1", beta1, "Decay rate of the first moment; 0 = no first moment.").in(0.0, 1.0);
  table.field("weight-decay", weight_decay, "Weight decay, decoupled from the gradient.")
      .at_least(0);
  table.field("scale-parameter",
              scale_parameter,
              "Scale the learning rate by the root mean square of the parameter.");
  table.field("relative-step",
              relative_step,
              "Use the inverse square root of the number of updates as the learning rate, instead "
              "of the scheduler's.");
  table.field("warmup-init", warmup_init, "Warm up the learning rate of --relative-step.");
}

std::vector<std::string> AdafactorOptions::problems() const {
  std::vector<std::string> found;
  const auto negative = [](double eps) { return eps < 0; };
  if (adafactor_eps.size() != 2 ||
      std::any_of(adafactor_eps.begin(), adafactor_eps.end(), negative))
    found.emplace_back("--adafactor-eps needs two numbers of at least 0");
  if (warmup_init && !relative_step)
    found.emplace_back("--warmup-init needs --relative-step");
  return found;
}

Adafactor::Adafactor(const AdafactorOptions& options, const OptimizerSetup& setup)
    : options_(options), parameters_(*setup.parameters) {
  require_valid(options);
  Extent needed;
  for (const auto& entry : parameters_.entries()) needed.add(entry.parameter);
  const auto kind = parameters_.values().options();
  rows_ = at::zeros({needed.rows}, kind);
  columns_ = at::zeros({needed.columns}, kind);
  squares_ = at::zeros({needed.squares}, kind);
  if (options_.beta1 > 0)
    means_ = at::zeros_like(parameters_.values());
  Extent used;
  for (const auto& entry : parameters_.entries()) parts_.push_back(part_of(entry, used));
}

void Adafactor::Extent::add(const at::Tensor& parameter) {
  if (is_factored(parameter)) {
    rows += parameter.numel() / parameter.size(-1);
    columns += parameter.numel() / parameter.size(-2);
  } else {
    squares += parameter.numel();
  }
}

/// Makes the views of a parameter. `used`: the elements of the state's buffers that earlier
/// parameters use.
Adafactor::Part Adafactor::part_of(const nn::FlatParameters::Entry& entry, Extent& used) const {
  const auto sizes = entry.parameter.sizes();
  Part part;
  part.value = view_of(parameters_.values(), entry.offset, sizes);
  part.gradient = view_of(parameters_.gradients(), entry.offset, sizes);
  if (is_factored(entry.parameter)) {
    part.rows = view_of(rows_, used.rows, sizes_without(entry.parameter, 1));
    part.columns = view_of(columns_, used.columns, sizes_without(entry.parameter, 2));
  } else {
    part.squares = view_of(squares_, used.squares, sizes);
  }
  if (means_.defined())
    part.mean = view_of(means_, entry.offset, sizes);
  used.add(entry.parameter);
  return part;
}

std::map<std::string, at::Tensor> Adafactor::state() {
  std::map<std::string, at::Tensor> state = {
      {"exp_avg_sq_row", rows_}, {"exp_avg_sq_col", columns_}, {"exp_avg_sq", squares_}};
  if (means_.defined())
    state["exp_avg"] = means_;
  return state;
}

void Adafactor::step(double learning_rate, double gradient_scale) {
  ++steps_;
  for (Part& part : parts_) step_part(part, learning_rate, gradient_scale);
  refresh_sixteen_bit_copies(parameters_);
}

double Adafactor::rate_of(const Part& part, double learning_rate) const {
  const auto step = static_cast<double>(steps_);
  double rate = learning_rate;
  if (options_.relative_step)
    rate = std::min(options_.warmup_init ? 1e-6 * step : 1e-2, 1 / std::sqrt(step));
  if (options_.scale_parameter)
    rate *= std::max(options_.adafactor_eps[1], root_mean_square(part.value));
  return rate;
}

/// Updates the second moment V and returns g / √V.
at::Tensor Adafactor::normalized(Part& part, const at::Tensor& gradient) const {
  const double decay = 1 - std::pow(static_cast<double>(steps_), options_.decay_rate);
  const at::Tensor squares = gradient * gradient + options_.adafactor_eps[0];
  if (part.squares.defined()) {
    part.squares.mul_(decay).add_(squares, 1 - decay);
    return part.squares.rsqrt().mul_(gradient);
  }
  part.rows.mul_(decay).add_(squares.mean(-1), 1 - decay);
  part.columns.mul_(decay).add_(squares.mean(-2), 1 - decay);
  // [..., rows, 1] and [..., 1, columns]
  const at::Tensor row_factor =
      (part.rows / part.rows.mean(-1, /*keepdim=*/true)).rsqrt_().unsqueeze(-1);
  return (row_factor * part.columns.unsqueeze(-2).rsqrt()).mul_(gradient);
}

void Adafactor::step_part(Part& part, double learning_rate, double gradient_scale) {
  const double rate = rate_of(part, learning_rate);
  at::Tensor update = normalized(part, part.gradient * gradient_scale);
  update.div_(std::max(1.0, root_mean_square(update) / options_.clip_threshold)).mul_(rate);
  if (part.mean.defined()) {
    part.mean.mul_(options_.beta1).add_(update, 1 - options_.beta1);
    update = part.mean;
  }
  if (options_.weight_decay != 0)
    part.value.mul_(1 - options_.weight_decay * rate);
  part.value.sub_(update);
}

}  // namespace phraseq

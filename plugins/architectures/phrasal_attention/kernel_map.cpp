#include "plugins/architectures/phrasal_attention/kernel_map.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "core/nn/functional/linear.h"

namespace phraseq::phrasal {
namespace {

/// x [tokens, in] → [tokens, columns of all maps].
at::Tensor project(const at::Tensor& x,
                   const std::vector<std::shared_ptr<KernelMap>>& maps,
                   nn::Context& context) {
  std::vector<at::Tensor> weights, biases;
  bool any = false;
  for (const auto& map : maps) {
    weights.push_back(map->weight);
    any = any || map->bias.defined();
  }
  if (any) {
    for (const auto& map : maps) biases.push_back(map->product_bias());
  }
  return nn::stacked_linear(x, weights, biases, context);
}

std::shared_ptr<KernelMap> output_map(torch::nn::Module& owner,
                                      const char* name,
                                      int64_t model,
                                      int64_t taps,
                                      bool has_bias = false) {
  return owner.register_module(name, std::make_shared<KernelMap>(model, model, taps, has_bias));
}

}  // namespace

KernelMap::KernelMap(const MapPlan& plan, int64_t in)
    : fan_{static_cast<double>(plan.taps * in), static_cast<double>(plan.rows)},
      role_(nn::MapRole::kAttentionInput) {
  weight = register_parameter("weight", at::empty({plan.rows, in}));
  if (plan.bias)
    bias = register_parameter("bias", at::empty({plan.rows / plan.taps}));
}

KernelMap::KernelMap(int64_t out, int64_t in, int64_t taps, bool has_bias)
    : fan_{static_cast<double>(taps * in), static_cast<double>(taps * out)},
      role_(nn::MapRole::kAttentionOutput) {
  weight = register_parameter("weight", at::empty({out, taps * in}));
  if (has_bias)
    bias = register_parameter("bias", at::empty({out}));
}

void KernelMap::initialize(nn::Initializer& initializer) {
  initializer.map(weight, bias, role_, fan_);
}

at::Tensor KernelMap::product_bias() const {
  if (!bias.defined())
    return at::zeros({weight.size(0)}, weight.options().requires_grad(false));
  return at::constant_pad_nd(bias, {weight.size(0) - bias.size(0), 0});  // [taps · out]
}

PhraseMaps::PhraseMaps(torch::nn::Module& owner,
                       const PhrasePlan& plan,
                       const PhraseOptions& options) {
  const auto make = [&](const MapPlan& map, int64_t in, Maps& maps) {
    maps.push_back(owner.register_module(map.name, std::make_shared<KernelMap>(map, in)));
    all_.push_back(maps.back());
  };
  for (const MapPlan& map : plan.key_value_maps) make(map, options.key_model, keys_values_);
  for (const MapPlan& map : plan.query_maps) make(map, options.model, queries_);
}

at::Tensor PhraseMaps::all(const at::Tensor& x, nn::Context& context) const {
  return project(x, all_, context);
}

at::Tensor PhraseMaps::keys_values(const at::Tensor& memory, nn::Context& context) const {
  return project(memory, keys_values_, context);
}

at::Tensor PhraseMaps::queries(const at::Tensor& x, nn::Context& context) const {
  return project(x, queries_, context);
}

void PhraseMaps::initialize(nn::Initializer& initializer) {
  for (const auto& map : all_) map->initialize(initializer);
}

int64_t PhraseMaps::columns_of(const Maps& maps) {
  int64_t columns = 0;
  for (const auto& map : maps) columns += map->weight.size(0);
  return columns;
}

PhraseOutput::PhraseOutput(torch::nn::Module& owner, const PhraseOptions& o)
    : sees_next_phrase_(o.sees_next_phrase) {
  const bool interleaved = o.type == PhraseType::kInterleaved;
  if (!interleaved || o.after_o)
    out_ = output_map(owner, "out_proj", o.model, 1);
  if (interleaved && o.after_o)
    phrase_out_ = output_map(owner, "phrase_out_proj", o.model, 1);
  if (!interleaved)
    return;
  interleave_ =
      output_map(owner, "interleave_proj", o.model, o.sees_next_phrase ? 3 : 2, o.conv_bias);
}

at::Tensor PhraseOutput::forward(const at::Tensor& rows, nn::Context& context) const {
  if (phrase_out_)
    return interleave_after_o(rows, context);
  const KernelMap& map = interleave_ ? *interleave_ : *out_;
  return nn::linear(rows, map.weight, map.bias, context);
}

at::Tensor PhraseOutput::interleave_after_o(const at::Tensor& rows, nn::Context& context) const {
  const auto parts = rows.chunk(2, 1);  // phrases, words: [tokens, model] each
  const at::Tensor phrases =
      nn::linear(parts[0], phrase_out_->weight, {}, context);                // [tokens, model]
  const at::Tensor words = nn::linear(parts[1], out_->weight, {}, context);  // [tokens, model]
  std::vector<at::Tensor> sequence = {phrases, words};
  // The phrase of the next row; for the last row of a sentence, this is c_0 of the next sentence,
  // which is zero.
  if (sees_next_phrase_)
    sequence.push_back(at::constant_pad_nd(phrases, {0, 0, -1, 1}));  // [tokens, model]
  return nn::linear(at::cat(sequence, 1),                             // [tokens, taps · model]
                    interleave_->weight,
                    interleave_->bias,
                    context);  // [tokens, model]
}

void PhraseOutput::initialize(nn::Initializer& initializer) {
  for (const auto& map : {out_, phrase_out_, interleave_}) {
    if (map)
      map->initialize(initializer);
  }
}

double PhraseOutput::multiply_adds(double tokens) const {
  double sum = 0;
  for (const auto& map : {out_, phrase_out_, interleave_}) {
    if (map)
      sum += tokens * static_cast<double>(map->weight.numel());
  }
  return sum;
}

}  // namespace phraseq::phrasal

#include "plugins/architectures/ssru_transformer/ssru.h"

#include <stdexcept>
#include <vector>

#include <ATen/ops/cat.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "core/data/device/to_device.h"
#include "core/nn/functional/linear.h"
#include "core/nn/recurrent/time_major.h"

namespace phraseq::ssru_transformer {
namespace {

/// The cells after the last token, [rows, width]; undefined before the first.
struct SsruCells final : nn::AttentionState {
  at::Tensor cells;

  void select(const std::vector<int64_t>& rows) override {
    if (cells.defined())
      cells = cells.index_select(0, to_device(rows, cells.device()));
  }
};

/// Converts x to fp32 unless it is fp64.
at::Tensor in_full(const at::Tensor& x) {
  return x.scalar_type() == at::kDouble ? x : x.to(at::kFloat);
}

}  // namespace

Ssru::Ssru(int64_t width, bool with_projection) {
  const auto make = [&](const char* name, bool with_bias, nn::MapRole role) {
    return register_module(name, std::make_shared<nn::LinearMap>(width, width, with_bias, role));
  };
  x_proj_ = make("x_proj", /*with_bias=*/false, nn::MapRole::kAttentionInput);
  f_proj_ = make("f_proj", /*with_bias=*/true, nn::MapRole::kAttentionInput);
  if (with_projection)
    out_proj_ = make("out_proj", /*with_bias=*/true, nn::MapRole::kAttentionOutput);
}

Ssru::Products Ssru::products(const at::Tensor& x, nn::Context& context) const {
  return {in_full(x_proj_->forward(x, context)),
          nn::activated(in_full(f_proj_->forward(x, context)), nn::Activation::kSigmoid)};
}

at::Tensor Ssru::output(const at::Tensor& cells, at::ScalarType type, nn::Context& context) const {
  const at::Tensor hidden = at::relu(cells).to(type);  // [rows, width]
  return out_proj_ ? out_proj_->forward(hidden, context) : hidden;
}

at::Tensor Ssru::forward(const at::Tensor& x,
                         const PackedTokens& tokens,
                         bool causal,
                         nn::Context& context) const {
  if (!causal)
    throw std::logic_error("a recurrent unit in place of self-attention that sees both directions");
  const nn::TimeMajor walk(tokens.offsets, x.device());
  const auto [input, forget] = products(walk.walk(x), context);  // [tokens, width] each
  at::Tensor cells = at::zeros({walk.counts.front(), x.size(1)}, input.options());
  std::vector<at::Tensor> steps;
  int64_t first = 0;
  for (const int64_t rows : walk.counts) {
    cells = at::lerp(input.narrow(0, first, rows),
                     cells.narrow(0, 0, rows),
                     forget.narrow(0, first, rows));  // [rows, width]
    steps.push_back(cells);
    first += rows;
  }
  return output(walk.pack(at::cat(steps)), x.scalar_type(), context);
}

std::unique_ptr<nn::AttentionState> Ssru::start() const { return std::make_unique<SsruCells>(); }

at::Tensor Ssru::step(const at::Tensor& x,
                      nn::AttentionState& state,
                      const nn::DecodingRows& /*rows*/,
                      nn::Context& context) const {
  at::Tensor& cells = dynamic_cast<SsruCells&>(state).cells;
  const auto [input, forget] = products(x, context);  // [rows, width] each
  cells = at::lerp(input, cells.defined() ? cells : at::zeros_like(input), forget);
  return output(cells, x.scalar_type(), context);
}

void Ssru::initialize(nn::Initializer& initializer) {
  for (const auto& map : {x_proj_, f_proj_, out_proj_}) {
    if (map)
      map->initialize(initializer);
  }
}

double Ssru::multiply_adds(double tokens) const {
  const auto width = static_cast<double>(x_proj_->weight.size(0));
  return tokens * width * width * (out_proj_ ? 3 : 2);
}

std::shared_ptr<nn::SelfAttention> SsruFactory::decoder_self(const nn::TransformerOptions& options,
                                                             int64_t /*layer*/) const {
  return std::make_shared<Ssru>(options.decoder_embed_dim, with_projection_);
}

}  // namespace phraseq::ssru_transformer

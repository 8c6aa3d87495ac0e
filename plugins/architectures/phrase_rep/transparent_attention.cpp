#include "plugins/architectures/phrase_rep/transparent_attention.h"

#include <cmath>

#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>

#include "core/nn/functional/normalization.h"
#include "core/nn/recording.h"

namespace phraseq::phrase_rep {

TransparentAttention::TransparentAttention(int64_t levels, int64_t decoder_layers, double dropout)
    : dropout_(dropout) {
  weight = register_parameter("weight", at::empty({levels, decoder_layers}));
}

std::vector<at::Tensor> TransparentAttention::forward(const std::vector<at::Tensor>& levels,
                                                      nn::Context& context) const {
  const at::Tensor shares =
      at::softmax(nn::dropout(weight, dropout_, context), 0);  // [levels, decoder layers]
  if (context.recording() != nullptr)
    context.recording()->add(*this, "transparent_attention", shares);
  const at::Tensor stacked =  // [levels, elements of a level]
      at::stack(levels).view({weight.size(0), levels.front().numel()});
  const at::Tensor mixed =  // [decoder layers, elements of a level]
      at::mm(shares.t().to(stacked.scalar_type()), stacked);
  std::vector<at::Tensor> mixtures;
  for (const at::Tensor& mixture : mixed.unbind(0))            // [elements of a level]
    mixtures.push_back(mixture.view(levels.front().sizes()));  // [rows, model]
  return mixtures;
}

void TransparentAttention::initialize(nn::Initializer& initializer) {
  initializer.uniform(weight, 1.0 / std::sqrt(static_cast<double>(weight.size(1))));
}

}  // namespace phraseq::phrase_rep

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <torch/nn/module.h>

#include "core/nn/architecture.h"
#include "core/nn/linear_map.h"
#include "core/nn/token_embedding.h"
#include "core/nn/transformer/transformer_options.h"

namespace phraseq::nn {

/// The top of a Transformer's decoder according to the options: the target embedding's matrix if it
/// is tied, otherwise `output_projection`; `output_bias` with --out-bias. A part of the decoder,
/// which registers both under its own name.
struct PHRASEQ_API OutputProjection {
  OutputProjection(torch::nn::Module& owner,
                   const TransformerOptions& options,
                   std::shared_ptr<EmbeddingTable> target_embedding);

  /// The DecoderOutput with some hidden rows [rows, model], for a criterion or a session.
  DecoderOutput around(const at::Tensor& hidden) const;
  void initialize(Initializer& initializer);
  double multiply_adds(double rows) const;

 private:
  const at::Tensor& weight() const { return map_ ? map_->weight : tied_->weight; }

  std::shared_ptr<EmbeddingTable> tied_;
  std::shared_ptr<LinearMap> map_;
  at::Tensor bias_;
  std::vector<int64_t> forbidden_;
};

}  // namespace phraseq::nn

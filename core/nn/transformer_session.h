#pragma once

#include <memory>
#include <vector>

#include "core/nn/decoding_session.h"
#include "core/nn/transformer_model.h"

namespace phraseq::nn {

/// A Transformer decoder in the middle of a batch. Keys and values of the source are made once;
/// `select` permutes the table of ancestors and the rows' sentences, and moves nothing else.
class PHRASEQ_API TransformerSession final : public DecodingSession {
 public:
  TransformerSession(std::shared_ptr<TransformerDecoder> decoder,
                     const at::Tensor& memory,
                     const PackedTokens& source,
                     const DecodingLimits& limits,
                     Context context);

  int64_t rows() const override { return rows_.ancestry.rows(); }
  StepOutput step(const at::Tensor& last_tokens) override;
  void select(const std::vector<int64_t>& rows) override;

 private:
  std::shared_ptr<TransformerDecoder> decoder_;
  std::vector<DecoderLayerState> states_;
  DecodingRows rows_;
  at::Device device_;
  bool need_attention_;
  Context context_;
};

}  // namespace phraseq::nn

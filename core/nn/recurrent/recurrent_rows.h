#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"
#include "core/nn/recurrent/recurrent_decoder.h"

namespace phraseq::nn {

/// The rows of a recurrent decoder while it decodes a batch, for its DecodingSession.
class PHRASEQ_API RecurrentRows {
 public:
  /// One row per sentence, with nothing decoded yet.
  RecurrentRows(const RecurrentDecoder& decoder, const RecurrentMemory& memory, Context& context);

  int64_t rows() const { return state_.hidden.size(0); }
  int64_t sentence_of(int64_t row) const { return sentences_[static_cast<size_t>(row)]; }
  /// Feeds the rows' last words [rows]; see RecurrentDecoder::step.
  RecurrentStep step(const at::Tensor& last_tokens, const at::Tensor& active, Context& context);
  void select(const std::vector<int64_t>& rows);

 private:
  const RecurrentDecoder& decoder_;
  RecurrentMemory of_sentences_;
  RecurrentMemory of_rows_;  // gathered again only if rows change their sentences
  RecurrentState state_;
  std::vector<int64_t> sentences_;
  bool first_ = true;
};

}  // namespace phraseq::nn

#include "core/nn/transformer_session.h"

#include <numeric>
#include <utility>

namespace phraseq::nn {
namespace {

DecodingRows one_row_a_sentence(const PackedTokens& source) {
  DecodingRows rows{Ancestry(source.sentences()), source.offsets, {}};
  rows.sentence_of_row.resize(static_cast<size_t>(source.sentences()));
  std::iota(rows.sentence_of_row.begin(), rows.sentence_of_row.end(), 0);
  return rows;
}

}  // namespace

TransformerSession::TransformerSession(std::shared_ptr<TransformerDecoder> decoder,
                                       const at::Tensor& memory,
                                       const PackedTokens& source,
                                       const DecodingLimits& limits,
                                       Context context)
    : decoder_(std::move(decoder)),
      rows_(one_row_a_sentence(source)),
      device_(memory.device()),
      need_attention_(limits.need_attention),
      context_(context) {
  states_ = decoder_->start(memory, context_);
}

StepOutput TransformerSession::step(const at::Tensor& last_tokens) {
  rows_.ancestry.advance();
  StepOutput output;
  at::Tensor* weights = need_attention_ ? &output.attention : nullptr;
  const at::Tensor hidden =
      decoder_->step(last_tokens.to(device_), states_, rows_, context_, weights);
  output.scores = decoder_->project(hidden).logits(context_);
  return output;
}

void TransformerSession::select(const std::vector<int64_t>& rows) {
  rows_.ancestry.select(rows);
  std::vector<int64_t> sentences;
  sentences.reserve(rows.size());
  for (const int64_t row : rows)
    sentences.push_back(rows_.sentence_of_row[static_cast<size_t>(row)]);
  rows_.sentence_of_row = std::move(sentences);
}

}  // namespace phraseq::nn

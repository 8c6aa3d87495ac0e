#pragma once

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "core/nn/deferring_session.h"
#include "core/nn/packed/candidate_scores.h"
#include "core/nn/packed/packed_scores.h"
#include "core/nn/transformer/attention_module.h"

namespace phraseq::nn {

/// One row per sentence, with nothing decoded yet.
inline DecodingRows one_row_per_sentence(const PackedTokens& source) {
  DecodingRows rows{Ancestry(source.sentences()), source.offsets, {}};
  rows.sentence_of_row.resize(static_cast<size_t>(source.sentences()));
  std::iota(rows.sentence_of_row.begin(), rows.sentence_of_row.end(), 0);
  return rows;
}

/// A decoding session of a decoder that consists of layers. Values that depend only on the source
/// are computed once; `select` permutes the table of ancestors, the rows' sentences, and any other
/// state of the layers.
///
/// A Decoder has `States` (one element per layer, with `select(rows)`),
/// `step(last_tokens, states, rows, context, cross_weights*)`, which returns hidden rows, and
/// `project(hidden)`.
template <class Decoder>
class DecoderSession final : public DeferringSession {
 public:
  /// `states` are the layers' states that the decoder computed from the source.
  DecoderSession(std::shared_ptr<Decoder> decoder,
                 typename Decoder::States states,
                 const PackedTokens& source,
                 const DecodingLimits& limits,
                 Context context)
      : decoder_(std::move(decoder)),
        states_(std::move(states)),
        rows_(one_row_per_sentence(source)),
        device_(source.ids.device()),
        need_attention_(limits.need_attention),
        context_(context) {}

  int64_t rows() const override { return rows_.ancestry.rows(); }

  StepOutput step(const at::Tensor& last_tokens) override {
    StepOutput output;
    output.scores = advance(last_tokens, output.attention).logits(context_);
    return output;
  }

  DecodingStep step_deferred(const at::Tensor& last_tokens) override {
    DecodingStep step;
    const DecoderOutput projected = advance(last_tokens, step.output.attention);
    step.deferred = candidates_ ? candidates_->of(projected, rows_.sentence_of_row)
                                : packed_scores(projected, context_);
    if (!step.deferred)
      step.output.scores = projected.unwidened_logits(context_);
    return step;
  }

  bool restrict_to(const std::vector<std::vector<int64_t>>& candidates) override {
    candidates_ = std::make_unique<CandidateScores>(candidates);
    return true;
  }

  void select(const std::vector<int64_t>& rows) override {
    rows_.ancestry.select(rows);
    std::vector<int64_t> sentences;
    sentences.reserve(rows.size());
    for (const int64_t row : rows)
      sentences.push_back(rows_.sentence_of_row[static_cast<size_t>(row)]);
    rows_.sentence_of_row = std::move(sentences);
    for (auto& state : states_) state.select(rows);
  }

 private:
  /// Computes the next step up to its hidden rows.
  DecoderOutput advance(const at::Tensor& last_tokens, at::Tensor& attention) {
    rows_.ancestry.advance();
    at::Tensor* weights = need_attention_ ? &attention : nullptr;
    return decoder_->project(
        decoder_->step(last_tokens.to(device_), states_, rows_, context_, weights));
  }

  std::shared_ptr<Decoder> decoder_;
  typename Decoder::States states_;
  DecodingRows rows_;
  at::Device device_;
  bool need_attention_;
  Context context_;
  std::unique_ptr<CandidateScores> candidates_;  ///< null: the whole vocabulary
};

}  // namespace phraseq::nn

#include "core/nn/loss/phrase_mixture.h"

#include <algorithm>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include "core/data/device/to_device.h"
#include "core/data/phrases/phrase_extras.h"
#include "core/nn/loss/projected_loss.h"
#include "core/nn/loss/projected_scores.h"
#include "core/text/dictionary.h"

namespace phraseq::nn {
namespace {

/// [rows, slots] bool, true = there is no such slot.
at::Tensor is_absent(const at::Tensor& slot_scores) { return slot_scores.le(kNoSlot / 2); }

/// The parts of words and slots in the probabilities of a decision.
struct SlotShare {
  at::Tensor of_words;  ///< [rows] ln (1 - g), or the words' normalizer minus the joint one
  at::Tensor of_slots;  ///< [rows, slots] ln p
};

/// scores [rows, slots], logit [rows].
SlotShare gated(const at::Tensor& scores, const at::Tensor& logit) {
  const at::Tensor there = is_absent(scores).logical_not();  // [rows, slots]
  const at::Tensor any = there.any(1);                       // [rows]
  const at::Tensor none = at::zeros({}, scores.options());
  return {
      at::where(any, at::log_sigmoid(-logit), none),  // [rows]
      at::where(there,
                at::log_sigmoid(logit).unsqueeze(1) + at::log_softmax(scores, 1),  // [rows, slots]
                none + kNoSlot)};
}

/// scores [rows, slots], normalizer [rows].
SlotShare joint(const at::Tensor& scores, const at::Tensor& normalizer) {
  const at::Tensor all = at::logaddexp(normalizer, at::logsumexp(scores, 1));  // [rows]
  return {normalizer - all, scores - all.unsqueeze(1)};  // [rows], [rows, slots]
}

/// `normalizer` is needed only without a gate.
SlotShare share_of(const DecoderOutput& output, const at::Tensor& normalizer) {
  const at::Tensor& scores = output.extras.at(kSlotScores);  // [rows, slots]
  const auto gate = output.extras.find(kGateLogit);
  return gate == output.extras.end() ? joint(scores, normalizer) : gated(scores, gate->second);
}

bool is_gated(const DecoderOutput& output) { return output.extras.count(kGateLogit) > 0; }

/// The aligned spans of a batch.
struct Spans {
  explicit Spans(const Batch& batch);

  std::vector<int64_t> begins, slots;
  std::vector<int64_t> of_row;   ///< [target tokens] index of the span; the number of spans if none
  std::vector<uint8_t> unknown;  ///< whether the phrase has a word outside the vocabulary
};

Spans::Spans(const Batch& batch) {
  const auto& slot_at = phrase_numbers(batch, kPhraseSpanSlot);
  const auto& length_at = phrase_numbers(batch, kPhraseSpanLength);
  const auto& first_slot = phrase_numbers(batch, kPhraseSlotOffsets);
  const auto& first_word = phrase_numbers(batch, kPhraseWordOffsets);
  const auto& words = phrase_numbers(batch, kPhraseWords);
  of_row.assign(slot_at.size(), -1);
  for (int64_t sentence = 0; sentence < batch.sentences(); ++sentence) {
    const auto& offsets = batch.target_in.offsets;
    for (int64_t row = offsets[sentence]; row < offsets[sentence + 1]; ++row) {
      if (slot_at[row] < 0)
        continue;
      const int64_t slot = first_slot[sentence] + slot_at[row];
      const auto begin = words.begin() + first_word[slot],
                 end = words.begin() + first_word[slot + 1];
      std::fill_n(of_row.begin() + row, length_at[row], static_cast<int64_t>(begins.size()));
      begins.push_back(row);
      slots.push_back(slot_at[row]);
      unknown.push_back(std::find(begin, end, kUnk) != end);
    }
  }
  std::replace(of_row.begin(), of_row.end(), int64_t{-1}, static_cast<int64_t>(begins.size()));
}

/// ln p of each word of the target in the softmax over the words; exact if no gradient is needed.
/// [target tokens]
at::Tensor word_scores(const DecoderOutput& output,
                       const Batch& batch,
                       const ProjectedScores& scores,
                       Context& context) {
  if (at::GradMode::is_enabled())
    return scores.target - scores.normalizer;
  return target_log_probabilities(output.hidden,
                                  output.output_weight,
                                  output.output_bias,
                                  batch.target_out,
                                  output.forbidden,
                                  context);
}

/// Returns `words` [target tokens] with each span as a unit: its first token gets ln p of the span,
/// whether it is generated word by word or as a phrase, and its other tokens get 0.
at::Tensor with_phrases(const at::Tensor& words, const SlotShare& share, const Spans& spans) {
  const auto on_device = [&](const auto& values, at::ScalarType type) {
    return to_device(at::tensor(values, type), words.device());
  };
  const auto count = static_cast<int64_t>(spans.begins.size());
  const at::Tensor span_of_row = on_device(spans.of_row, at::kLong);  // [target tokens]
  const at::Tensor begins = on_device(spans.begins, at::kLong);       // [spans]
  const at::Tensor in_words =
      at::zeros({count + 1}, words.options())
          .index_add(0, span_of_row, words)  // [spans + 1]
          .narrow(0, 0, count)               // [spans]
          .masked_fill(on_device(spans.unknown, at::kByte).to(at::kBool), kNoSlot);
  const at::Tensor as_phrase =
      share.of_slots
          .index_select(0, begins)                                    // [spans, slots]
          .gather(1, on_device(spans.slots, at::kLong).unsqueeze(1))  // [spans, 1]
          .squeeze(1);                                                // [spans]
  return words.masked_fill(span_of_row.lt(count), 0.0)
      .index_copy(0, begins, at::logaddexp(in_words, as_phrase));  // [target tokens]
}

}  // namespace

at::Tensor word_and_slot_scores(const DecoderOutput& output, Context& context) {
  const at::Tensor logits = output.logits(context);          // [rows, vocab]
  const at::Tensor& scores = output.extras.at(kSlotScores);  // [rows, slots]
  const auto gate = output.extras.find(kGateLogit);
  if (gate == output.extras.end())
    return at::cat({logits, scores}, 1);                                // [rows, vocab + slots]
  const at::Tensor in_favor = at::logsumexp(logits, 1) + gate->second;  // [rows]
  const at::Tensor gated = in_favor.unsqueeze(1) + at::log_softmax(scores, 1);  // [rows, slots]
  return at::cat({logits, gated.masked_fill(is_absent(scores), kNoSlot)},
                 1);  // [rows, vocab + slots]
}

at::Tensor phrase_mixture_losses(const DecoderOutput& output,
                                 const Batch& batch,
                                 Context& context) {
  ProjectedScores scores;
  if (at::GradMode::is_enabled() || !is_gated(output))
    scores = projected_scores(
        output.hidden, output.output_weight, output.output_bias, batch.target_out, context);
  const SlotShare share = share_of(output, scores.normalizer);
  const at::Tensor words =
      share.of_words + word_scores(output, batch, scores, context);  // [target tokens]
  const Spans spans(batch);
  return -(spans.begins.empty() ? words : with_phrases(words, share, spans));
}

}  // namespace phraseq::nn

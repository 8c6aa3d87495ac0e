#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/data/batch.h"
#include "core/nn/architecture.h"
#include "core/nn/context.h"

/// Decisions between a word of the vocabulary and a phrase of a sentence's slots (Tang et al.
/// 2016): the additional outputs of an architecture with a phrase memory, and the probabilities and
/// the likelihood that are computed from them.
namespace phraseq::nn {

/// Extras of DecoderOutput, one row per decision. Slots that do not exist have the score kNoSlot.
///
/// [rows, slots] ψ of each slot: in one softmax with the words or, with a gate, in their own
/// softmax
inline constexpr const char* kSlotScores = "slot_scores";
/// [rows] logit of g = p(phrase); only with a gate
inline constexpr const char* kGateLogit = "gate_logit";
inline constexpr double kNoSlot = -1e30;

/// Scores of words and slots of each row, [rows, vocab + slots] in fp32 (fp64), whose softmax gives
/// their probabilities: with a gate, (1 - g) p_w and g p_p; without one, a single softmax over
/// words and slots.
///
/// The score of a word is its logit z; that of a slot is ln Σ exp z + logit(g) + ln p_p with a
/// gate, otherwise ψ. A row without slots, whose g is 0, therefore has the scores of a model
/// without phrases. A slot that does not exist has kNoSlot or less.
PHRASEQ_API at::Tensor word_and_slot_scores(const DecoderOutput& output, Context& context);

/// -ln p of each target token, [target tokens], differentiable. The loss of a span that a slot's
/// phrase covers (kPhraseSpanSlot, kPhraseSpanLength) is assigned to its first word; its other
/// words have 0:
///
///     -ln ( I Π_i p(y_i) + p(k) ),  I = 0 if the phrase has a word outside the vocabulary
///
/// (eq. 3). `batch` contains the extras of the phrases. Without gradients, the loss of a word in a
/// row without slots is exactly -target_log_probabilities.
PHRASEQ_API at::Tensor phrase_mixture_losses(const DecoderOutput& output,
                                             const Batch& batch,
                                             Context& context);

}  // namespace phraseq::nn

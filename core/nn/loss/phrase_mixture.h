#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/data/batch.h"
#include "core/nn/architecture.h"
#include "core/nn/context.h"

/// Decisions between a word of the vocabulary and a phrase of a sentence's slots (Tang et al.
/// 2016): what an architecture with a phrase memory returns besides its DecoderOutput's hidden
/// rows, and the probabilities and likelihood that follow from it.
namespace phraseq::nn {

/// Extras of DecoderOutput, one row per decision. Slots that do not exist have the score kNoSlot.
///
/// [rows, slots] ψ of each slot: in one softmax with the words, or in one of their own beside a
/// gate
inline constexpr const char* kSlotScores = "slot_scores";
/// [rows] logit of g = p(phrase); only where there is a gate
inline constexpr const char* kGateLogit = "gate_logit";
inline constexpr double kNoSlot = -1e30;

/// Scores of words and slots of each row, [rows, vocab + slots] in fp32 (fp64), whose softmax is
/// their probabilities: (1 - g) p_w and g p_p with a gate, a softmax over all without one.
///
/// Words have their logits z, slots ln Σ exp z + logit(g) + ln p_p or their ψ. So a row without
/// slots, whose g is 0, has the scores of a model without phrases. A slot that does not exist has
/// kNoSlot or less.
PHRASEQ_API at::Tensor word_and_slot_scores(const DecoderOutput& output, Context& context);

/// -ln p of each target token, [target tokens], differentiable. The loss of a span that a slot's
/// phrase covers (kPhraseSpanSlot, kPhraseSpanLength) is at its first word; the others have 0:
///
///     -ln ( I Π_i p(y_i) + p(k) ),  I = 0 if the phrase has a word outside the vocabulary
///
/// (eq. 3). `batch` holds the phrases' extras. Without gradients, a word in a row without slots has
/// exactly -target_log_probabilities.
PHRASEQ_API at::Tensor phrase_mixture_losses(const DecoderOutput& output,
                                             const Batch& batch,
                                             Context& context);

}  // namespace phraseq::nn

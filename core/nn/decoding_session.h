#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq {

/// The limits that a search passes to a model before it starts, so that a model can allocate its
/// caches once.
struct DecodingLimits {
  int64_t max_steps = 0;          ///< tokens that a hypothesis may have, including </s>
  int64_t rows_per_sentence = 1;  ///< the beam
  bool need_attention = false;    ///< fill StepOutput::attention
};

/// The result of one step for all rows.
struct StepOutput {
  at::Tensor scores;        ///< [rows, vocab + slots] fp32 (fp64 under Precision::kFp64): logits
  bool normalized = false;  ///< scores are log-probabilities already
  at::Tensor attention;     ///< [rows, src_time] weights over the source, if requested
};

/// A model in the middle of decoding a batch: rows of hypotheses that grow by one token per step.
///
/// It starts with one row per sentence. Source-side caches are stored once per sentence, whatever
/// the number of rows; self-attention caches are not concatenated in each step.
class PHRASEQ_API DecodingSession {
 public:
  virtual ~DecodingSession() = default;

  virtual int64_t rows() const = 0;
  /// Feeds the last token of each row, [rows] int64, and returns the scores of the next one.
  virtual StepOutput step(const at::Tensor& last_tokens) = 0;
  /// Row i of the new state is row `rows[i]` of the old one: reorders, prunes or repeats rows.
  virtual void select(const std::vector<int64_t>& rows) = 0;

  /// The number of entries of `scores` after the vocabulary (phraseNet's phrases); each one expands
  /// to tokens.
  virtual int64_t slots() const { return 0; }
  /// The target tokens of a row's slot: the search queues them and feeds them without making a
  /// decision. May be called from several threads at a time.
  virtual std::vector<int64_t> expand_slot(int64_t /*row*/, int64_t /*slot*/) const { return {}; }
  /// Called once per step, after `select`, with the choice of each row (a token, or vocab + slot).
  virtual void chosen(const std::vector<int64_t>& /*choices*/) {}
};

}  // namespace phraseq

#pragma once

#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/data/batch.h"
#include "core/nn/architecture.h"
#include "core/nn/parameters/shared_gradient.h"
#include "core/nn/recurrent/additive_attention.h"
#include "core/nn/recurrent/context_gru.h"
#include "core/nn/recurrent/coverage.h"
#include "core/nn/recurrent/gru_cell.h"
#include "core/nn/recurrent/readout.h"
#include "core/nn/recurrent/recurrent_initializer.h"
#include "core/nn/recurrent/recurrent_options.h"
#include "core/nn/recurrent/time_major.h"
#include "core/nn/token_embedding.h"

namespace phraseq::nn {

/// The encoded source in the form that a recurrent decoder reads, one row per row of the decoder.
/// Unused parts are undefined.
struct PHRASEQ_API RecurrentMemory {
  SharedInput states;   ///< [rows, src_time, 2 · hidden], zeros at padding
  SharedInput keys;     ///< [rows, src_time, 2 · hidden] keys of the attention
  at::Tensor mask;      ///< [rows, src_time], true = a source token
  at::Tensor coverage;  ///< from Coverage::read: [rows, src_time, …] or [rows, src_time]
  at::Tensor tags;      ///< [rows, src_time, slots] one-hot: the slot whose phrase covers the token

  /// The first rows; of states and keys, all rows, of which a step reads the first ones.
  RecurrentMemory first(int64_t rows) const;
  RecurrentMemory select(const at::Tensor& rows) const;
};

/// The state that is carried from step to step.
struct PHRASEQ_API RecurrentState {
  at::Tensor hidden;    ///< s [rows, hidden]
  at::Tensor coverage;  ///< C [rows, src_time, coverage], undefined without coverage

  RecurrentState first(int64_t rows) const;
  RecurrentState select(const at::Tensor& rows) const;
};

/// The result of a step.
struct RecurrentStep {
  DecisionState decision;  ///< with the new state
  at::Tensor old_hidden;  ///< [rows, hidden]; for many steps at once, only with --readout-state old
  at::Tensor weights;     ///< [rows, src_time] of the attention, 0 at padding; single steps only
};

/// The tags that are active in each step of a teacher-forced pass.
struct TagSchedule {
  at::Tensor tags;    ///< [sentences, src_time, slots] as in RecurrentMemory
  at::Tensor active;  ///< [target tokens, slots]: 0 from the step after a phrase's last word on
};

/// The decoder of RNNsearch:
///
///     s_0 = tanh(W_i mean_j h_j + b_i)
///     c_t = Σ_j α_tj h'_j,  s_t = GRU(e_{t-1}, s_{t-1}; c_t)
///     words: softmax(W_o tanh(U s_t + C c_t + V e_{t-1} + b) + b_o)
///
/// h' is h, followed by tags if there are any. Their share of every product has its own matrix, so
/// nothing is added without tags. Parameters `embed_tokens`, `initial_state`, `attention`,
/// `coverage`, `rnn`, `rnn2` (two cells), `readout`, `output_projection`.
class PHRASEQ_API RecurrentDecoder : public torch::nn::Module {
 public:
  RecurrentDecoder(const RecurrentOptions& options, int64_t vocabulary, int64_t slots = 0);

  /// Makes a memory from h [source tokens, 2 · hidden], one row per sentence. `tags` may be
  /// undefined.
  RecurrentMemory read(const at::Tensor& h,
                       const PackedTokens& source,
                       const at::Tensor& tags,
                       Context& context) const;
  /// The initial state: s_0 [rows, hidden] and no coverage.
  RecurrentState start(const RecurrentMemory& memory, Context& context) const;

  /// The parts of a step that depend only on the last word, for many steps at once.
  struct Fed {
    at::Tensor embedding;  ///< [rows, embed]
    at::Tensor query;      ///< [rows, 2 · hidden] for the attention, undefined with two cells
    at::Tensor input;      ///< [rows, 3 · hidden] for the cell
    /// These parts for each step of a walk.
    std::vector<Fed> steps(const TimeMajor& walk) const;
  };
  /// ids [rows]; `first` [rows] bool: true if nothing has been generated yet, in which case the
  /// embedding is zero.
  Fed feed(const at::Tensor& ids, const at::Tensor& first, Context& context) const;

  /// One step of all rows. `active` [rows, slots] selects the tags of the memory that are active;
  /// undefined = all.
  RecurrentStep step(const Fed& fed,
                     const RecurrentMemory& memory,
                     const at::Tensor& active,
                     RecurrentState& state,
                     Context& context) const;

  /// All steps of a batch of targets; the results are packed like `target`.
  RecurrentStep forward(const PackedTokens& target,
                        const at::Tensor& h,
                        const PackedTokens& source,
                        const TagSchedule& schedule,
                        Context& context) const;

  /// The output of decisions between words: tanh of the readout, [rows, embed], and the output
  /// matrix.
  DecoderOutput words(const RecurrentStep& step, Context& context) const;

  void initialize(RecurrentInitializer& initializer);
  double multiply_adds(double source_tokens, double target_tokens) const;
  const EmbeddingTable& embed_tokens() const { return *embed_tokens_; }

  const RecurrentOptions& options() const { return options_; }

 private:
  bool reads_old_state() const { return options_.readout_state == ReadoutState::kOld; }

  RecurrentOptions options_;
  std::shared_ptr<EmbeddingTable> embed_tokens_;
  std::shared_ptr<LinearMap> initial_state_;
  std::shared_ptr<AdditiveAttention> attention_;
  std::shared_ptr<Coverage> coverage_;
  std::shared_ptr<ContextGru> cell_;     // with --decoder-cell gru
  std::shared_ptr<GruCell> first_cell_;  // with --decoder-cell cgru
  std::shared_ptr<SecondGru> second_cell_;
  std::shared_ptr<Readout> readout_;
  std::shared_ptr<LinearMap> output_projection_;
};

}  // namespace phraseq::nn

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/api.h"
#include "core/nn/context.h"
#include "core/nn/decoding_session.h"
#include "core/nn/deferring_session.h"
#include "core/search/decoder.h"
#include "core/search/lexical_state.h"
#include "core/search/search_options.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// What a search knows of one sentence before it starts.
struct SentenceInput {
  int64_t id = 0;             ///< place in the data set: the seed of its random draws
  int64_t source_length = 0;  ///< </s> (and <s>) counted
  int64_t max_length = 0;     ///< tokens before </s>
  std::vector<int64_t> prefix;
  /// What each slot's phrase says, word by word, as kPhraseStrings numbers it; empty = not known.
  std::vector<std::vector<int64_t>> phrase_strings = {};
  LexicalConstraints lexical_constraints = {};  ///< phrases that the translation must contain
  int64_t start_token = kEos;                   ///< what its rows are fed first
};

/// One step's scores: all of them, or deferred ones.
struct SearchStep : StepOutput {
  SearchStep(StepOutput output = {},  // NOLINT(google-explicit-constructor)
             std::shared_ptr<const DeferredScores> deferred_scores = nullptr)
      : StepOutput(std::move(output)), deferred(std::move(deferred_scores)) {}

  /// Vocabulary and slots.
  int64_t columns() const { return deferred ? deferred->columns() : scores.size(1); }

  std::shared_ptr<const DeferredScores> deferred;  ///< null: `scores` are there
};

/// A batch as a search sees it: facts about its sentences and a session that waits for the first
/// token.
class PHRASEQ_API SearchInput {
 public:
  /// Starts the request's model, or its ensemble. `rows_per_sentence` = the most rows a sentence
  /// will have. `needs_all_scores` = false: rank_rows is all that the search does with scores, so
  /// that they may be deferred.
  SearchInput(const DecodingRequest& request,
              const SearchOptions& options,
              int64_t rows_per_sentence,
              bool needs_all_scores = true);
  /// A session alone, its first token </s>: for what has no architecture, as tests.
  SearchInput(std::vector<SentenceInput> sentences, std::unique_ptr<DecodingSession> session);

  const std::vector<SentenceInput>& sentences() const { return sentences_; }
  DecodingSession& session() { return *session_; }

  /// Feeds a token a row and returns the scores [rows, vocab + slots] on the CPU, contiguous, or
  /// deferred ones (on a GPU, those that stay there), with the attention [rows, src_time] (fp32)
  /// when it was asked for.
  SearchStep step(std::span<const int64_t> tokens);
  /// Forbids what is not among the request's candidates, where the scores of `output` are not
  /// restricted already: -infinity. `sentences` says whose each row is. Slots stay as they are.
  void keep_candidates(SearchStep& output, std::span<const int64_t> sentences) const;

 private:
  void take_candidates(const DecodingRequest& request);

  std::vector<SentenceInput> sentences_;
  std::vector<std::vector<int64_t>> candidates_;  ///< one list a sentence, or none
  at::Device device_ = at::kCPU;
  std::vector<std::unique_ptr<nn::Context>> contexts_;  // outlive the session, which refers to them
  std::unique_ptr<DecodingSession> session_;
  DeferringSession* deferring_ = nullptr;  // the session, when it may defer scores
  bool ranks_on_device_ = false;           // scores stay on the device
};

/// What every row may say next, in scores: answers of all rows of one step.
///
/// `constraints[row].only` = -2 marks a row without a decision (its queue is fed): it gets no
/// columns. Every other row gets at least one, and none at -infinity: where the constraints forbid
/// all that the model allows, </s> with the model's probability. Throws DivergenceError when the
/// scores are not finite, or when the one allowed token is impossible for the model.
inline constexpr int64_t kNoDecision = -2;
PHRASEQ_API std::vector<std::vector<RankedColumn>> rank_rows(
    const SearchStep& output, const std::vector<StepConstraint>& constraints, int64_t k);

/// The log-probability of one column of a row with a decision, as `rank_rows` has it; -infinity
/// where it is forbidden. Goes through the whole row.
PHRASEQ_API double log_probability_of(const StepOutput& output,
                                      int64_t row,
                                      int64_t column,
                                      const StepConstraint& constraint);

/// The same for several columns, with one pass through the row.
PHRASEQ_API std::vector<double> log_probabilities_of(const StepOutput& output,
                                                     int64_t row,
                                                     std::span<const int64_t> columns,
                                                     const StepConstraint& constraint);

}  // namespace phraseq

#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"
#include "core/nn/deferring_session.h"
#include "core/nn/functional/log_softmax_top_k.h"
#include "core/search/constraints.h"
#include "core/search/hypothesis.h"
#include "core/search/hypothesis_tree.h"
#include "core/search/search_input.h"
#include "core/search/search_options.h"

namespace phraseq {

/// A hypothesis that is still growing: one row of the session.
struct SearchRow {
  int64_t sentence = 0;
  int64_t node = -1;           ///< its last token in the tree, -1 = none yet
  double log_probability = 0;  ///< of everything decided so far
  int64_t sample = 0;          ///< which of its sentence's random draws it is
  /// Words of a chosen phrase that are still to be generated, without a decision.
  std::vector<int64_t> queue = {};
  int64_t slot = -1;  ///< the slot whose phrase ends with the queue, -1 = none
};

/// One way to continue a row: a token, or a slot with its phrase.
struct Candidate {
  int64_t row = 0;
  int64_t column = 0;          ///< a token, or vocabulary + slot
  double log_probability = 0;  ///< of this step; 0 for a queued word
  double total = 0;            ///< of the hypothesis including it
  bool queued = false;         ///< the row's next queued word
};

/// Several lists of candidates: one per row, or one per sentence.
using CandidateLists = std::vector<std::vector<Candidate>>;

/// The order of candidates: the greater total, then the lower row, then the lower column.
inline bool ranks_before(const Candidate& a, const Candidate& b) {
  if (a.total != b.total)
    return a.total > b.total;
  return a.row != b.row ? a.row < b.row : a.column < b.column;
}

/// The state that beam search, greedy search and sampling keep between steps. Rows of one sentence
/// are adjacent, and sentences are in order; a sentence without rows is done.
struct PHRASEQ_API SearchState {
  SearchState(SearchInput& the_input, const SearchOptions& the_options);

  SearchInput& input;
  const SearchOptions& options;
  std::vector<SearchRow> rows;  ///< one per sentence at the start
  HypothesisTree tree;
  int64_t step = 0;                               ///< tokens that every row has
  int64_t vocabulary = 0;                         ///< columns of the scores before the slots
  std::vector<at::Tensor> attention;              ///< one per step: [rows then, src_time]
  std::vector<std::vector<Hypothesis>> finished;  ///< one list per sentence

  const SentenceInput& sentence_of(const SearchRow& row) const;
  /// The row that a candidate continues.
  const SearchRow& row_of(const Candidate& candidate) const {
    return rows[static_cast<size_t>(candidate.row)];
  }
  /// The candidate that decides for a column of a row, with the log-probability of this step.
  Candidate decision(int64_t row, int64_t column, double log_probability) const;
};

/// Feeds every row its last token; keeps the attention.
PHRASEQ_API DecodingStep score_rows(SearchState& state);

/// Returns the constraint of each row: kNoDecision for a row with a queue; otherwise
/// `step_constraint`, where repeated n-grams are also forbidden, and so are slots whose phrase is
/// empty or exceeds the maximum length.
PHRASEQ_API std::vector<StepConstraint> constrain_rows(const SearchState& state);

/// Returns the candidates of every row, at least one: its ranked columns, or its next queued word
/// at no cost.
PHRASEQ_API CandidateLists row_candidates(const SearchState& state,
                                          const std::vector<std::vector<RankedColumn>>& ranked);

/// Returns the candidates of all lists, one list after the other.
PHRASEQ_API std::vector<Candidate> joined(const CandidateLists& lists);

/// Returns the tokens that a candidate generates, in order: one token, a slot's phrase, or the rest
/// of a queue.
PHRASEQ_API std::vector<int64_t> tokens_of(const SearchState& state, const Candidate& candidate);

/// Returns the strings of `tokens_of`, numbered as in SentenceInput::phrase_strings: a token of the
/// vocabulary is its own number. If a phrase's strings are not known, each of its words outside the
/// vocabulary gets a number that no other string has.
PHRASEQ_API std::vector<int64_t> strings_of(const SearchState& state, const Candidate& candidate);

/// Whether the candidate ends its hypothesis.
PHRASEQ_API bool ends(const Candidate& candidate);

/// Turns a candidate that ends in </s> into a finished hypothesis of its sentence.
PHRASEQ_API void finish(SearchState& state, const Candidate& candidate);

/// Finishes the candidates that end and returns the others.
PHRASEQ_API std::vector<Candidate> finish_ended(SearchState& state,
                                                const std::vector<Candidate>& candidates);

/// Turns the survivors, in which the rows of a sentence are adjacent, into the rows of the next
/// step. A row that chose a slot generates the phrase's first word and queues the others. Also
/// reorders the session and tells it the choices.
PHRASEQ_API void advance(SearchState& state, const std::vector<Candidate>& survivors);

/// Sorts every sentence's hypotheses by score (ties: the one finished first) and keeps `count`.
PHRASEQ_API std::vector<std::vector<Hypothesis>> best_hypotheses(SearchState& state, int64_t count);

}  // namespace phraseq

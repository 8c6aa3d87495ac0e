#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/api.h"
#include "core/nn/context.h"
#include "core/nn/decoding_session.h"
#include "core/nn/deferring_session.h"
#include "core/search/decoder.h"
#include "core/search/search_options.h"
#include "core/search/sentence_input.h"

namespace phraseq {

/// The input of a search: facts about the sentences of a batch, and a session that waits for the
/// first token.
class PHRASEQ_API SearchInput {
 public:
  /// Starts the request's model, or its ensemble. A sentence will have at most `rows_per_sentence`
  /// rows. `needs_all_scores` = false: the search only passes scores to rank_rows, so they may be
  /// deferred.
  SearchInput(const DecodingRequest& request,
              const SearchOptions& options,
              int64_t rows_per_sentence,
              bool needs_all_scores = true);
  /// Takes a session without a request, for callers that have no architecture, such as tests.
  SearchInput(std::vector<SentenceInput> sentences, std::unique_ptr<DecodingSession> session);

  const std::vector<SentenceInput>& sentences() const { return sentences_; }
  DecodingSession& session() { return *session_; }
  /// The value of DecodingRequest::need_scores.
  bool needs_scores() const { return needs_scores_; }

  /// Feeds one token per row and returns the scores [rows, vocab + slots] on the CPU, contiguous,
  /// or deferred ones (on a GPU, those that stay there), with the attention [rows, src_time] (fp32)
  /// if it was requested.
  DecodingStep step(std::span<const int64_t> tokens);
  /// Sets the scores of tokens that are not among the request's candidates to -infinity, unless
  /// `step` is already restricted. `sentences` holds the sentence of each row. Slots keep their
  /// scores.
  void keep_candidates(DecodingStep& step, std::span<const int64_t> sentences) const;

 private:
  nn::Context& add_context(nn::Precision precision, const nn::FlatParameters* parameters);
  std::unique_ptr<DecodingSession> start_models(const DecodingRequest& request,
                                                double temperature,
                                                const DecodingLimits& limits);
  /// Combines the session so far with the request's language model.
  std::unique_ptr<DecodingSession> fuse_language_model(const DecodingRequest& request,
                                                       DecodingLimits limits);
  void take_candidates(const DecodingRequest& request);

  std::vector<SentenceInput> sentences_;
  std::vector<std::vector<int64_t>> candidates_;  ///< one list per sentence, or none
  at::Device device_ = at::kCPU;
  std::vector<std::unique_ptr<nn::Context>> contexts_;  // outlive the session, which refers to them
  std::unique_ptr<DecodingSession> session_;
  DeferringSession* deferring_ = nullptr;  // the session if it may defer scores
  bool ranks_on_device_ = false;           // scores stay on the device
  bool needs_scores_ = true;
};

}  // namespace phraseq

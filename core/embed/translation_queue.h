#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/embed/translation_engine.h"

namespace phraseq {

/// Texts to translate, with everything that is needed for it.
struct TranslationRequest {
  std::vector<std::string> texts;
  api::TranslateOptions options;
  /// Set if nobody is waiting for the answer any longer: what has not been translated yet is
  /// dropped. May be null.
  std::shared_ptr<const std::atomic<bool>> abandoned = {};
};

/// The translations of a request, one for each text, or why there are none.
struct TranslationAnswer {
  std::vector<api::Translation> translations;
  std::exception_ptr failure = nullptr;  ///< TranslationFailure for a fault of the request
};

/// What a queue has done since it was created.
struct QueueFigures {
  int64_t waiting = 0;  ///< requests that were accepted and not yet answered
  int64_t rounds = 0;   ///< calls of the engine
  int64_t sentences = 0;
  int64_t source_tokens = 0;
  double seconds = 0;  ///< in the engine
};

/// Translates requests on its own thread. In each round, waiting sentences are translated together,
/// one of each request in turn until the engine is busy, so a long request does not delay short
/// ones. Rounds with and without alignments and with and without prefixes take turns. An answer
/// does not depend on what was in the same round.
class PHRASEQ_API TranslationQueue {
 public:
  /// Called once, on the queue's thread; must not throw.
  using Done = std::function<void(TranslationAnswer)>;

  /// `max_waiting`: requests that may wait; 0 = any number.
  TranslationQueue(std::unique_ptr<TranslationEngine> engine, int64_t max_waiting);
  /// First translates what was accepted (`finish`).
  ~TranslationQueue();
  TranslationQueue(const TranslationQueue&) = delete;
  TranslationQueue& operator=(const TranslationQueue&) = delete;

  /// Translates what was accepted, and ends; the figures remain. Nothing may be submitted
  /// afterwards.
  void finish();
  const TranslationEngine& engine() const;
  /// Throws TranslationFailure if too many requests are waiting, or for options out of range.
  void submit(TranslationRequest request, Done done);
  QueueFigures figures() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phraseq

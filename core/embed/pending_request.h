#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "core/embed/text_layout.h"
#include "core/embed/translation_failure.h"
#include "core/embed/translation_queue.h"

namespace phraseq {

/// A request on its way: its texts laid out, its sentences encoded.
struct PendingRequest {
  TranslationRequest request;
  TranslationQueue::Done done;
  std::vector<TextLayout> layouts = {};
  std::vector<EngineSentence> sentences = {};  ///< of all texts, in order
  std::vector<api::Sentence> results = {};     ///< of the sentences
  std::deque<size_t> plain = {}, forced = {};  ///< not yet translated: without and with a prefix
  size_t finished = 0;

  bool is_abandoned() const { return request.abandoned && request.abandoned->load(); }
  bool is_complete() const { return finished == sentences.size(); }
};

/// The failure of an abandoned request.
TranslationFailure nobody_waits();

/// Divides the texts of a request into sentences and encodes them. Throws TranslationFailure for a
/// fault of the request, and if it is abandoned meanwhile.
void encode_request(const TranslationEngine& engine, PendingRequest& pending);

/// Puts the texts of a finished request together.
TranslationAnswer answer_of(PendingRequest& pending);

}  // namespace phraseq

#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace phraseq {

/// The extra of a task with a phrase memory: the maximum number of phrases in a sentence.
inline constexpr const char* kPhraseSlots = "phrase_slots";

/// The vocabulary information that a task gives to an architecture.
struct ArchitectureSetup {
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;
  bool joined_dictionary = false;  ///< one dictionary for both sides, so embeddings can be shared
  std::map<std::string, int64_t> extras;  ///< sizes that a task provides (phrase slots …)
};

}  // namespace phraseq

#pragma once

#include <string>
#include <vector>

#include "core/phrase_memory/phrase_memory.h"

namespace phraseq {

/// The slots that a sentence gets from rules alone, as "target (category)".
inline std::vector<std::string> rule_slots(PhraseRules rules, const char* sentence) {
  const PhraseMemory memory({}, {}, false, rules);
  std::vector<std::string> slots;
  for (const auto& entry : memory.read(memory.words(sentence)).entries)
    slots.push_back(phrase_text(entry.target) + " (" + entry.category + ")");
  return slots;
}

}  // namespace phraseq

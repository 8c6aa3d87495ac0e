#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/phrase_memory/rules/rule_findings.h"

namespace phraseq {

/// What begins at a word of a sentence: a date, a number.
struct RuleReading {
  size_t length = 0;  ///< words
  std::string translation;
  std::string rule;
  bool is_sure = false;  ///< false: what is there is not to be translated, not in parts either
};

/// Adds what was read at `begin` if it is sure; returns its length.
size_t take_reading(RuleReading reading,
                    size_t begin,
                    const char* category,
                    std::vector<RuleFinding>& found);

}  // namespace phraseq

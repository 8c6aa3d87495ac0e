#include "core/phrase_memory/rules/english_german/rule_reading.h"

#include <utility>

namespace phraseq {

size_t take_reading(RuleReading reading,
                    size_t begin,
                    const char* category,
                    std::vector<RuleFinding>& found) {
  if (reading.is_sure)
    found.push_back(
        {begin, reading.length, std::move(reading.translation), category, std::move(reading.rule)});
  return reading.length;
}

}  // namespace phraseq

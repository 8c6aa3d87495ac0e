#include "core/phrase_memory/rules/english_german/rules_german_english.h"

#include "core/phrase_memory/rules/english_german/german_dates.h"
#include "core/phrase_memory/rules/english_german/german_numbers.h"

namespace phraseq {
namespace {

/// The words that are read at `begin`, at least one.
size_t german_rule_read_at(std::span<const std::string> sentence,
                           size_t begin,
                           std::vector<RuleFinding>& found) {
  const WordContext words(sentence);
  if (auto date = german_date_at(words, begin))
    return take_reading(*date, begin, "dates", found);
  if (auto number = german_number_at(words, begin))
    return take_reading(*number, begin, "numbers", found);
  return 1;
}

}  // namespace

std::vector<RuleFinding> german_english_findings(std::span<const std::string> sentence) {
  std::vector<RuleFinding> found;
  for (size_t at = 0; at < sentence.size();) at += german_rule_read_at(sentence, at, found);
  return found;
}

}  // namespace phraseq

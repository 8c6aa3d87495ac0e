#include "core/phrase_memory/rules/english_german/rules_english_german.h"

#include <fmt/format.h>

#include "core/phrase_memory/rules/english_german/english_dates.h"
#include "core/phrase_memory/rules/english_german/english_numbers.h"
#include "core/phrase_memory/rules/english_german/personal_names.h"

namespace phraseq {
namespace {

/// The words that are read at `begin`, at least one.
size_t english_rule_read_at(std::span<const std::string> sentence,
                            size_t begin,
                            std::vector<RuleFinding>& found) {
  const WordContext words(sentence);
  if (auto date = english_date_at(words, begin))
    return take_reading(*date, begin, "dates", found);
  if (auto number = english_number_at(words, begin))
    return take_reading(*number, begin, "numbers", found);
  if (const size_t length = personal_name_length(sentence, begin)) {
    const auto name = sentence.subspan(begin, length);
    found.push_back({begin, length, fmt::format("{}", fmt::join(name, " ")), "names", "person"});
    return length;
  }
  return 1;
}

}  // namespace

std::vector<RuleFinding> english_german_findings(std::span<const std::string> sentence) {
  std::vector<RuleFinding> found;
  for (size_t at = 0; at < sentence.size();) at += english_rule_read_at(sentence, at, found);
  return found;
}

}  // namespace phraseq

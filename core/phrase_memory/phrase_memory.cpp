#include "core/phrase_memory/phrase_memory.h"

#include <algorithm>

#include "core/text/unicode.h"

namespace phraseq {
namespace {

std::vector<std::string> lowered(std::span<const std::string> words) {
  std::vector<std::string> lower;
  lower.reserve(words.size());
  for (const std::string& word : words) lower.push_back(to_lowercase(word));
  return lower;
}

/// Removes the table's occurrence of the words that a rule translates: the rule takes precedence.
/// False if the occurrence stays because the rule only copies a name.
bool take_precedence(const RulePhrase& phrase, std::vector<PhraseOccurrence>& occurrences) {
  const auto length = static_cast<int64_t>(phrase.entry.source.size());
  const auto known = std::find_if(occurrences.begin(), occurrences.end(), [&](const auto& other) {
    return other.begin == phrase.begin && other.length == length;
  });
  if (known == occurrences.end())
    return true;
  if (phrase.entry.category == "names")
    return false;
  occurrences.erase(known);
  return true;
}

}  // namespace

std::vector<TargetSpan> SentencePhrases::spans_in(std::span<const std::string> target) const {
  std::vector<std::vector<std::string>> phrases;
  phrases.reserve(entries.size());
  for (const PhraseEntry& entry : entries)
    phrases.push_back(ignores_case ? lowered(entry.target) : entry.target);
  return ignores_case ? assign_spans(phrases, lowered(target)) : assign_spans(phrases, target);
}

PhraseMemory::PhraseMemory(PhraseTable table,
                           PhraseSelectionOptions selection,
                           bool lowercase,
                           PhraseRules rules,
                           bool keeps_case)
    : table_(std::move(table)),
      matcher_(table_.entries()),
      selection_(selection),
      lowercase_(lowercase),
      keeps_case_(lowercase && keeps_case),
      rules_(rules) {}

std::vector<std::string> PhraseMemory::words(std::string_view sentence) const {
  const std::vector<std::string> words = phrase_words(sentence);
  return lowercase_ && !keeps_case_ ? lowered(words) : words;
}

/// Merges what rules find into the table's occurrences; returns the entries made, numbered after
/// the table's. Equal phrases have one number.
std::vector<PhraseEntry> PhraseMemory::add_rule_phrases(
    std::span<const std::string> source, std::vector<PhraseOccurrence>& occurrences) const {
  std::vector<PhraseEntry> made;
  for (RulePhrase& phrase : find_rule_phrases(rules_, source)) {
    if (!parse_phrase_line(phrase_line(phrase.entry)).problems.empty())
      continue;  // a word with ||| in it: no table could hold the phrase
    if (!take_precedence(phrase, occurrences))
      continue;
    if (lowercase_ && !keeps_case_)
      phrase.entry.target = lowered(phrase.entry.target);
    const auto same = std::find_if(made.begin(), made.end(), [&](const PhraseEntry& other) {
      return other.source == phrase.entry.source && other.target == phrase.entry.target;
    });
    const auto number = static_cast<int64_t>(table_.entries().size()) + (same - made.begin());
    const auto length = static_cast<int64_t>(phrase.entry.source.size());
    occurrences.push_back({phrase.begin, length, number});
    if (same == made.end())
      made.push_back(std::move(phrase.entry));
  }
  return made;
}

SentencePhrases PhraseMemory::read(std::span<const std::string> source) const {
  SentencePhrases phrases;
  phrases.ignores_case = keeps_case_;
  if (keeps_case_) {
    phrases.occurrences = matcher_.find(lowered(source));
  } else {
    phrases.occurrences = matcher_.find(source);
  }
  const std::vector<PhraseEntry> made = add_rule_phrases(source, phrases.occurrences);
  phrases.slots = select_phrases(phrases.occurrences, selection_);
  const auto& entries = table_.entries();
  for (const PhraseSlot& slot : phrases.slots) {
    const auto number = static_cast<size_t>(slot.phrase);
    phrases.entries.push_back(number < entries.size() ? entries[number]
                                                      : made[number - entries.size()]);
  }
  return phrases;
}

}  // namespace phraseq

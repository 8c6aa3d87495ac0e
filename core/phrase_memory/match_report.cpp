#include "core/phrase_memory/match_report.h"

#include <map>
#include <memory>
#include <ostream>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/wording/counted.h"
#include "core/io/line_reader.h"
#include "core/io/terminal_input.h"

namespace phraseq {
namespace {

/// "3-5" from 1, both ends included; "3" for one word.
std::string place_text(int64_t begin, int64_t length) {
  return length == 1 ? fmt::format("{}", begin + 1)
                     : fmt::format("{}-{}", begin + 1, begin + length);
}

std::string places_text(const PhraseSlot& slot) {
  std::string text;
  for (const PhraseOccurrence& occurrence : slot.occurrences)
    text += (text.empty() ? "" : ",") + place_text(occurrence.begin, occurrence.length);
  return text;
}

const TargetSpan* span_of(size_t slot, const std::vector<TargetSpan>* spans) {
  if (spans != nullptr) {
    for (const TargetSpan& span : *spans) {
      if (span.slot == static_cast<int64_t>(slot))
        return &span;
    }
  }
  return nullptr;
}

nlohmann::ordered_json slot_json(const PhraseSlot& slot,
                                 const PhraseEntry& entry,
                                 const TargetSpan* span) {
  nlohmann::ordered_json object;
  object["source"] = entry.source;
  object["target"] = entry.target;
  object["category"] = entry.category;
  for (const PhraseOccurrence& occurrence : slot.occurrences)
    object["occurrences"].push_back({occurrence.begin, occurrence.length});
  if (span != nullptr)
    object["span"] = {span->begin, span->length};
  return object;
}

struct MatchTotals {
  int64_t sentences = 0;
  int64_t with_phrases = 0;
  int64_t words = 0;
  int64_t covered = 0;
  int64_t slots = 0;
  int64_t spans = 0;
  int64_t occurrences = 0;

  void add(std::span<const std::string> source, const SentencePhrases& phrases) {
    ++sentences;
    with_phrases += phrases.slots.empty() ? 0 : 1;
    words += static_cast<int64_t>(source.size());
    occurrences += static_cast<int64_t>(phrases.occurrences.size());
    slots += static_cast<int64_t>(phrases.slots.size());
    for (const PhraseSlot& slot : phrases.slots) covered += slot.covered();
  }

  std::string text(bool has_reference) const {
    std::string line = fmt::format("{}, {} with phrases; {}, {}; {} of {} source words covered",
                                   counted(sentences, "sentence"),
                                   with_phrases,
                                   counted(occurrences, "occurrence"),
                                   counted(slots, "slot"),
                                   covered,
                                   words);
    if (has_reference)
      line += fmt::format("; {} found in the reference", counted(spans, "slot"));
    return line + '\n';
  }
};

constexpr const char* kEqualLengths = "Source and reference must have the same number of lines.";

/// One sentence's phrases as text: the sentence, then one line per slot, numbered from 1:
/// places in the source (from 1), source phrase, target phrase, category and, with a reference,
/// the places that the slot produces there.
std::string match_text(int64_t number,
                       std::span<const std::string> source,
                       const SentencePhrases& phrases,
                       const std::vector<TargetSpan>* spans) {
  std::string text = fmt::format("{}: {}\n", number, fmt::join(source, " "));
  for (size_t i = 0; i < phrases.slots.size(); ++i) {
    const PhraseEntry& entry = phrases.entries[i];
    text += fmt::format("  {} [{}] {} → {} ({})",
                        i + 1,
                        places_text(phrases.slots[i]),
                        phrase_text(entry.source),
                        phrase_text(entry.target),
                        entry.category);
    if (const TargetSpan* span = span_of(i, spans))
      text += fmt::format(" at {}", place_text(span->begin, span->length));
    text += '\n';
  }
  return text;
}

/// The same as one line of JSON; places are counted from 0.
std::string match_json(int64_t number,
                       std::span<const std::string> source,
                       const SentencePhrases& phrases,
                       const std::vector<TargetSpan>* spans) {
  nlohmann::ordered_json object;
  object["line"] = number;
  object["words"] = std::vector<std::string>(source.begin(), source.end());
  object["slots"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < phrases.slots.size(); ++i)
    object["slots"].push_back(slot_json(phrases.slots[i], phrases.entries[i], span_of(i, spans)));
  return object.dump() + '\n';
}

}  // namespace

void report_matches(const PhraseMemory& memory,
                    const MatchSettings& settings,
                    std::ostream& output) {
  if (settings.source == "-")
    announce_terminal_input("source sentences, one per line,");
  LineReader sources(settings.source);
  std::unique_ptr<LineReader> references;
  if (!settings.reference.empty())
    references = std::make_unique<LineReader>(settings.reference);
  MatchTotals totals;
  std::string line;
  std::string reference;
  while (sources.next(line)) {
    if (references && !references->next(reference))
      reject_lengths(sources, *references, kEqualLengths);
    const auto source = memory.words(line);
    const SentencePhrases phrases = memory.read(source);
    std::vector<TargetSpan> spans;
    if (references)
      spans = phrases.spans_in(memory.words(reference));
    totals.add(source, phrases);
    totals.spans += static_cast<int64_t>(spans.size());
    const auto form = settings.json ? match_json : match_text;
    output << form(sources.line_number(), source, phrases, references ? &spans : nullptr);
  }
  if (references && references->next(reference))
    reject_lengths(*references, sources, kEqualLengths);
  if (!settings.json)
    output << totals.text(references != nullptr);
}

std::vector<PhraseEntry> phrases_of_text(const PhraseMemory& memory, const std::string& path) {
  std::map<std::string, PhraseEntry> found;
  LineReader reader(path);
  for (std::string line; reader.next(line);) {
    for (PhraseEntry& entry : memory.read(memory.words(line)).entries) {
      entry.count = 0;
      ++found.try_emplace(phrase_text(entry.source), entry).first->second.count;
    }
  }
  std::vector<PhraseEntry> entries;
  for (auto& [source, entry] : found) entries.push_back(std::move(entry));
  return entries;
}

}  // namespace phraseq

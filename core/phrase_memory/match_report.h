#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/phrase_memory/phrase_memory.h"

namespace phraseq {

struct MatchSettings {
  std::string source;     ///< file, "-" = standard input
  std::string reference;  ///< file of its translation; empty = none
  bool json = false;
};

/// One sentence's phrases as text: the sentence, then one line per slot, numbered from 1:
/// places in the source (from 1), source phrase, target phrase, category and, with a reference,
/// the places that the slot produces there.
PHRASEQ_API std::string match_text(int64_t number,
                                   std::span<const std::string> source,
                                   const SentencePhrases& phrases,
                                   const std::vector<TargetSpan>* spans);

/// The same as one line of JSON (docs/formats/phrase_table.md); places are counted from 0.
PHRASEQ_API std::string match_json(int64_t number,
                                   std::span<const std::string> source,
                                   const SentencePhrases& phrases,
                                   const std::vector<TargetSpan>* spans);

/// Writes the matches of a text, followed by their number unless they are written as JSON. Throws
/// DataError if the reference has a different number of lines.
PHRASEQ_API void report_matches(const PhraseMemory& memory,
                                const MatchSettings& settings,
                                std::ostream& output);

/// The entries that occur in the sentences of a text, each once, sorted by the bytes of the source;
/// their count is the number of slots that they get there.
PHRASEQ_API std::vector<PhraseEntry> phrases_of_text(const PhraseMemory& memory,
                                                     const std::string& path);

}  // namespace phraseq

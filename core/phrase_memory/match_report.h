#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/phrase_memory/phrase_memory.h"

namespace phraseq {

/// What report_matches reads, and the form of its lines.
struct MatchSettings {
  std::string source;     ///< file, "-" = standard input
  std::string reference;  ///< file of its translation; empty = none
  bool json = false;
};

/// Writes the matches of a text: as one line of JSON per sentence (docs/formats/phrase_table.md),
/// or as lines for people, followed by their number. Throws DataError if the reference has a
/// different number of lines.
PHRASEQ_API void report_matches(const PhraseMemory& memory,
                                const MatchSettings& settings,
                                std::ostream& output);

/// The entries that occur in the sentences of a text, each once, sorted by the bytes of the source;
/// their count is the number of slots that they get there.
PHRASEQ_API std::vector<PhraseEntry> phrases_of_text(const PhraseMemory& memory,
                                                     const std::string& path);

}  // namespace phraseq

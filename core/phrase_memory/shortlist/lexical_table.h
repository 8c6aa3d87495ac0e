#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/phrase_memory/table/bitext.h"
#include "core/phrase_memory/table/word_alignment.h"

namespace phraseq {

/// A target word that a source word is aligned with, and how often: p(target | source).
struct LexicalEntry {
  std::string target;
  std::string source;
  double probability = 0;
};

/// The relative frequencies of the links of an aligned text (Koehn et al. 2003):
///
///   p(t | s) = links of s and t / links of s
///
/// Sorted by the bytes of the source word; for each, the most probable first, then by target word.
/// `best` > 0: only that many for each source word.
PHRASEQ_API std::vector<LexicalEntry> lexical_table(const Bitext& bitext,
                                                    const std::vector<WordAlignment>& alignments,
                                                    int64_t best = 0);

/// A line of Marian's text format, without its end: `target source probability`.
PHRASEQ_API std::string lexical_line(const LexicalEntry& entry);

/// Calls `use` for every line of a file in that format. Words are separated by spaces or tabs;
/// lines with NULL, the empty word, are skipped. Throws a DataError that names file and
/// line for anything else.
PHRASEQ_API void read_lexical_table(
    const std::string& path,
    const std::function<void(std::string_view target, std::string_view source, double probability)>&
        use);

}  // namespace phraseq

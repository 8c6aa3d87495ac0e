#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

/// The external phrase memory of Tang et al. 2016: tables of phrases and their translations, where
/// their phrases occur in a sentence, and which of them get one of the memory's slots.
namespace phraseq {

/// A source phrase and its only translation, as words before subword segmentation.
struct PhraseEntry {
  std::vector<std::string> source;
  std::vector<std::string> target;
  std::string category;      ///< dates, names, numbers, locations, organizations, others …
  double probability = 1.0;  ///< of the target, given the source
  int64_t count = 1;         ///< how often the source was seen with any target
  int64_t line = 0;          ///< in the file it came from, from 1; 0 = made by a rule
};

/// Words between whitespace of any kind (core/text/unicode.h).
PHRASEQ_API std::vector<std::string> phrase_words(std::string_view text);
/// Words joined by single spaces.
PHRASEQ_API std::string phrase_text(const std::vector<std::string>& words);

/// A line read as `source ||| target ||| category ||| probability ||| count`.
struct ParsedPhraseLine {
  PhraseEntry entry;                  ///< as far as it could be read
  std::vector<std::string> problems;  ///< what is wrong, one clause each; empty = a valid line
};
PHRASEQ_API ParsedPhraseLine parse_phrase_line(std::string_view line);

/// The line that parse_phrase_line reads as this entry, without a line feed; the probability has as
/// many digits as are needed to read it back exactly.
PHRASEQ_API std::string phrase_line(const PhraseEntry& entry);

/// A phrase table in memory, in the order of its file (docs/formats/phrase_table.md).
class PHRASEQ_API PhraseTable {
 public:
  PhraseTable() = default;

  /// Throws a DataError that names file and line for a line that is not an entry, and one that
  /// names both lines for a source that already has an entry, even if only lowercasing makes them
  /// equal. `lowercase` lowercases sources and, unless `keeps_target_case`, targets.
  static PhraseTable read(const std::string& path,
                          bool lowercase = false,
                          bool keeps_target_case = false);

  /// The same from a file's text; `name` is used in messages.
  static PhraseTable parse(std::string_view text,
                           const std::string& name,
                           bool lowercase = false,
                           bool keeps_target_case = false);
  /// What `parse` reads as this table.
  std::string text() const;

  const std::vector<PhraseEntry>& entries() const { return entries_; }

 private:
  std::vector<PhraseEntry> entries_;
};

/// One finding of check_phrase_table.
struct PhraseTableProblem {
  int64_t line = 0;
  std::string kind;  ///< format, duplicate or conflict
  std::string text;
};

/// Everything that is wrong with a table, in the order of its lines: lines that are not valid text
/// or not entries (format), and sources that occur again with the same target (duplicate) or a
/// different one (conflict).
PHRASEQ_API std::vector<PhraseTableProblem> check_phrase_table(const std::string& path,
                                                               bool lowercase = false);

}  // namespace phraseq

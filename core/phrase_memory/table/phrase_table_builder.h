#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/phrase_memory/rules/phrase_rules.h"
#include "core/phrase_memory/table/bitext.h"
#include "core/phrase_memory/table/phrase_table.h"
#include "core/phrase_memory/table/word_alignment.h"

namespace phraseq {

/// What a phrase pair needs to become an entry of a phrase table.
struct PhraseTableThresholds {
  int64_t min_count = 5;   ///< occurrences of a source phrase with a translation
  double min_prob = 0.95;  ///< share of them with its most frequent translation
  int64_t max_len = 7;     ///< words of either side
  double min_cvalue = 0;   ///< C-value of a source phrase; 0 = all
};

/// Aligns a bitext in both directions and joins them (symmetrize).
PHRASEQ_API std::vector<WordAlignment> align_words(const Bitext& bitext, int64_t iterations);

/// Alignments of a bitext from a file in Pharaoh's notation. Throws a DataError with file and line.
PHRASEQ_API std::vector<WordAlignment> read_alignments(const std::string& path,
                                                       const Bitext& bitext);

/// Reads the alignments of a bitext from `file` or, if that is empty, aligns it.
PHRASEQ_API std::vector<WordAlignment> read_or_align(const Bitext& bitext,
                                                     const std::string& file,
                                                     int64_t iterations);

/// The entries that pass the thresholds, sorted by source, in bytes.
///
/// The counts are those of consistent pairs. Among equally frequent translations, the one whose
/// words occur first in the bitext counts. Sources of digits and of marks between them are
/// `numbers`, all others `others`. Phrases with a word that a table cannot contain (`|||` within
/// it) are omitted.
PHRASEQ_API std::vector<PhraseEntry> build_phrase_table(
    const Bitext& bitext,
    const std::vector<WordAlignment>& alignments,
    const PhraseTableThresholds& thresholds = {});

/// Gives entries whose source is translated by a rule the category of that rule: dates, numbers,
/// names. Their translations from the bitext are kept.
PHRASEQ_API void categorize(std::vector<PhraseEntry>& entries, PhraseRules rules);

/// The C-value (Frantzi et al. 2000) of each entry's source among all of them:
///
///   log2|a| (f(a) - mean of f(b) over the longer b that contain a)
///
/// where |a| is the number of words and f the count; the mean is 0 if there is no such b.
PHRASEQ_API std::vector<double> c_values(const std::vector<PhraseEntry>& entries);

}  // namespace phraseq

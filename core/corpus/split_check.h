#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/io/line_reader.h"

namespace phraseq {

inline constexpr const char* kTrainingSplit = "train";

/// The text of a split ("train", "valid", "valid1" …) before it is preprocessed: one file, or two
/// that are parallel.
struct SplitText {
  std::string name;
  std::vector<std::string> files;
  std::string trees = {};       ///< parse trees of the first file's lines; empty = none
  std::string alignments = {};  ///< of the two files' lines; empty = none
};

/// How often something was found, and where it was found first.
struct PHRASEQ_API Findings {
  static constexpr size_t kPlaces = 3;

  int64_t count = 0;
  std::vector<int64_t> first_lines;

  /// `places`: how many line numbers are kept.
  void add(int64_t line, size_t places = kPlaces);
  /// "57 × WHAT, line 138, 1170, 1784 …"
  std::string text(std::string_view what) const;
};

/// What was found in a split's text.
struct SplitReport {
  int64_t lines = 0;
  int64_t empty = 0;  ///< pairs with a side without words; kept here, skipped by training
  std::vector<int64_t> skipped;              ///< line numbers, ascending
  std::map<std::string, Findings> findings;  ///< by file and defect, skipped or repaired

  int64_t kept() const { return lines - static_cast<int64_t>(skipped.size()); }
};

/// Reads the files, the trees and the alignments side by side. A line that is bad in one of them
/// (with OnBadLine::kSkip) is skipped in all. Throws a DataError that names files, counts and the
/// first line without a partner if their line counts differ, and what LineReader throws. `places`:
/// line numbers to keep for each finding.
PHRASEQ_API SplitReport check_split(const SplitText& split,
                                    const LineReaderOptions& options,
                                    size_t places = Findings::kPlaces);

/// A few lines of text: how many lines were read, kept and skipped, for which reasons, and where
/// these occurred first.
PHRASEQ_API std::string to_string(const SplitReport& report, const SplitText& split);

}  // namespace phraseq

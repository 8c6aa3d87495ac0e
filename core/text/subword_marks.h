#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Counts of whitespace-separated tokens, and of those with the mark of a subword: SentencePiece's
/// U+2581 at the beginning or subword-nmt's @@ at the end.
struct SubwordMarks {
  int64_t tokens = 0;
  int64_t begun = 0;  ///< begin with U+2581
  int64_t ended = 0;  ///< end with @@

  /// Whether so many of the tokens are marked that the text must have been divided into subwords:
  /// at least 1 percent, and either three tokens or half of all tokens. Plain text has almost none.
  PHRASEQ_API bool is_segmented() const;
};

PHRASEQ_API SubwordMarks count_subword_marks(std::string_view line);
PHRASEQ_API SubwordMarks count_subword_marks(const std::vector<std::string>& lines);

/// Watches lines that are going to be divided into subwords, and warns once if they already were.
/// Thread-safe.
class PHRASEQ_API SubwordDetector {
 public:
  explicit SubwordDetector(std::string language) : language_(std::move(language)) {}
  void observe(std::string_view line);

 private:
  std::string language_;
  std::atomic<int64_t> tokens_ = 0, begun_ = 0, ended_ = 0;
  std::atomic<bool> has_warned_ = false;
};

/// Warns if lines that are to be scored as text still consist of subwords; `option` joins them.
PHRASEQ_API void warn_of_subwords(const std::vector<std::string>& lines, std::string_view option);

}  // namespace phraseq

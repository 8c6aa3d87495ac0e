#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// How many tokens between white space bear the mark of a subword: SentencePiece's U+2581 at their
/// beginning or subword-nmt's @@ at their end.
struct SubwordMarks {
  int64_t tokens = 0;
  int64_t begun = 0;  ///< begin with U+2581
  int64_t ended = 0;  ///< end with @@

  /// Whether so large a share of the tokens is marked that the text was cut into subwords: at least
  /// 1 percent, by three tokens or by half of them all. Plain text has next to none.
  PHRASEQ_API bool is_segmented() const;
};

PHRASEQ_API SubwordMarks count_subword_marks(std::string_view line);

/// Watches the lines that are going to be cut into subwords, and warns once when they were cut
/// before. Thread safe.
class PHRASEQ_API SubwordDetector {
 public:
  explicit SubwordDetector(std::string language) : language_(std::move(language)) {}
  void observe(std::string_view line);

 private:
  std::string language_;
  std::atomic<int64_t> tokens_ = 0, begun_ = 0, ended_ = 0;
  std::atomic<bool> has_warned_ = false;
};

/// Warns when lines that are to be scored as text still consist of subwords; `option` joins them.
PHRASEQ_API void warn_of_subwords(const std::vector<std::string>& lines, std::string_view option);

}  // namespace phraseq

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/io/line_reader.h"
#include "core/options/shards/shard.h"
#include "core/text/tokenizer.h"

namespace phraseq {

/// A chunk of a text: its distinct symbols, and the sentences as indices into them. It is small
/// enough to pass to another thread, and each symbol is looked up in the dictionary once per chunk
/// instead of once per token.
struct EncodedText {
  std::vector<std::string> symbols;
  std::vector<int64_t> occurrences;  ///< of each symbol
  std::vector<uint32_t> tokens;      ///< of all sentences, one after the other
  std::vector<uint32_t> lengths;
};

PHRASEQ_API EncodedText encode_lines(const std::vector<std::string>& lines,
                                     const Tokenizer& tokenizer);

/// What to encode from a file that was checked before (core/corpus/split_check.h).
struct CheckedText {
  std::string file;
  LineReaderOptions reading;
  int64_t lines = 0;
  std::vector<int64_t> skipped;
  Shard shard = {};  ///< which of the remaining lines are encoded
};

/// Calls `use` with the lines of a text that KeptLines gives, chunk by chunk in its order,
/// tokenized by `workers` threads. The result does not depend on their number. Throws DataError if
/// the file has changed since it was checked.
PHRASEQ_API void encode_text(const CheckedText& text,
                             const Tokenizer& tokenizer,
                             int64_t workers,
                             const std::function<void(const EncodedText&)>& use);

/// The lines of a checked text without the skipped ones and those of other shards.
class PHRASEQ_API KeptLines {
 public:
  /// The text must outlive the object.
  explicit KeptLines(const CheckedText& text);

  /// The next line; false at the end. Throws DataError if the file has changed since it was
  /// checked.
  bool next(std::string& line);
  /// Number of the line last returned in the file, from 1.
  int64_t line_number() const { return reader_->line_number(); }

 private:
  const CheckedText* text_;
  std::shared_ptr<LineReader> reader_;  ///< shared by copies, which advance together
  int64_t kept_ = 0;
};

}  // namespace phraseq

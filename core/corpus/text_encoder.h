#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/io/line_reader.h"
#include "core/options/shards/shard.h"
#include "core/text/tokenizer.h"

namespace phraseq {

/// A chunk of a text as symbols: each distinct one once, the sentences as numbers into them.
/// Small enough to hand over, and the look-up in a dictionary costs once a chunk instead of once
/// a token.
struct EncodedText {
  std::vector<std::string> symbols;
  std::vector<int64_t> occurrences;  ///< of each symbol
  std::vector<uint32_t> tokens;      ///< of all sentences, one after the other
  std::vector<uint32_t> lengths;
};

PHRASEQ_API EncodedText encode_lines(const std::vector<std::string>& lines,
                                     const Tokenizer& tokenizer);

/// What to encode of a file that was checked before (core/corpus/split_check.h).
struct CheckedText {
  std::string file;
  LineReaderOptions reading;
  int64_t lines = 0;
  std::vector<int64_t> skipped;
  Shard shard = {};  ///< which of the lines that are left are encoded
};

/// Calls `use` with the lines of a text that kept_lines gives, chunk by chunk in its order,
/// tokenized by `workers` threads. The result does not depend on their number. Throws DataError
/// when the file has changed since it was checked.
PHRASEQ_API void encode_text(const CheckedText& text,
                             const Tokenizer& tokenizer,
                             int64_t workers,
                             const std::function<void(const EncodedText&)>& use);

/// The lines of a checked text without the skipped ones and those of other shards, one a call;
/// false at the end.
PHRASEQ_API std::function<bool(std::string&)> kept_lines(const CheckedText& text);

}  // namespace phraseq

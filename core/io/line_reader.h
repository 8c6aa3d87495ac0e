#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// What to do with a line that is not valid UTF-8 or contains control bytes.
enum class OnBadLine { kError, kSkip, kReplace };

/// What a LineReader accepts.
struct LineReaderOptions {
  int64_t max_line_bytes = 1 << 20;
  OnBadLine on_bad_line = OnBadLine::kError;
};

/// Lines of a UTF-8 text, one at a time, from a file (plain or .gz) or from standard input ("-",
/// plain only).
///
/// Lines are split only at '\n'; one trailing CR is removed; a last line without '\n' counts; a
/// byte-order mark at the start of the file is removed, with a note; U+2028, U+0085 and a lone CR
/// are characters. Overlong, surrogate and too large UTF-8 is invalid. Errors (DataError) name
/// file:line:byte, show the bytes escaped and say what to do. A line over the limit is found
/// without reading all of it into memory; it cannot be repaired, so kReplace rejects it, too, and
/// one of more than 1 GiB cannot be skipped either. Damaged gzip data cause a FormatError, a
/// failing disk an IoError.
class PHRASEQ_API LineReader {
 public:
  explicit LineReader(std::string path, LineReaderOptions options = {});
  ~LineReader();
  LineReader(LineReader&&) noexcept;

  /// The next line without its end, or false at the end of the file. With kSkip, a bad line is
  /// returned as an empty one with `bad()` true, so parallel files stay parallel.
  bool next(std::string& line);
  /// Number of the line last returned, from 1.
  int64_t line_number() const;
  bool bad() const;
  /// What was wrong with the line last returned, skipped or repaired ("overlong encoding");
  /// otherwise empty.
  std::string_view defect() const;
  /// Number of bad lines so far, skipped or repaired.
  int64_t bad_lines() const;
  const std::string& path() const;  ///< as errors name it: "standard input" for "-"

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// All lines. Throws IoError if there is no memory for more.
PHRASEQ_API std::vector<std::string> read_lines(const std::string& path,
                                                LineReaderOptions options = {});

/// Throws the DataError of line-parallel files of which one ends too early; both stand at the line
/// after its end. `hint`: which files must have the same number of lines.
[[noreturn]] PHRASEQ_API void reject_lengths(const LineReader& longer,
                                             const LineReader& shorter,
                                             const std::string& hint);

}  // namespace phraseq

#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/score/report/evaluation.h"

namespace phraseq::score {

/// The lines of a system's output or of a reference, as sacrebleu reads files: split only at '\n',
/// without trailing whitespace (so CRLF does no harm); a CR or a TAB within a line is whitespace,
/// and a byte-order mark is text. Files may be gzipped; "-" is standard input, read by the same
/// rules.
///
/// Throws IoError if the file cannot be read (or its gzip data end early), and a DataError with
/// file, line and byte for invalid UTF-8.
PHRASEQ_API Lines read_score_lines(const std::string& path);

/// The input of a score: systems and reference streams, all with the same number of lines.
struct ScoreInput {
  std::vector<System> systems;
  std::vector<Lines> references;
};

/// Reads the whole input; "-" in `inputs`, or none, is standard input. With `fields` > 1, each line
/// of the only reference file holds that many references, separated by TABs.
///
/// Throws a DataError that names both files and both counts if they differ, or the line with the
/// wrong number of fields, and UsageError for two systems of the same name.
PHRASEQ_API ScoreInput read_score_input(const std::vector<std::string>& inputs,
                                        const std::vector<std::string>& references,
                                        size_t fields);

/// Warns of every system of which 100 lines or more end in " .": it was probably not detokenized.
PHRASEQ_API void warn_about_tokens(const ScoreInput& input);

/// Warns of every system whose text consists of subwords with the marks of subword-nmt or
/// SentencePiece; if there is no such system, of the first such reference.
PHRASEQ_API void warn_about_subwords(const ScoreInput& input);

}  // namespace phraseq::score

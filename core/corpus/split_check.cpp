#include "core/corpus/split_check.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/wording/counted.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

/// Reads to the end; returns the number of lines.
int64_t count_lines(LineReader& reader) {
  std::string line;
  while (reader.next(line)) {
  }
  return reader.line_number();
}

/// What line n of the file of this number must be; a split's files are its texts, its trees and its
/// alignments.
const char* counterpart_remedy(const SplitText& split, size_t number) {
  if (number < split.files.size())
    return "Line n of one file must be the translation of line n of the other.";
  if (number == split.files.size() && !split.trees.empty())
    return "Line n of the tree file must be the parse of line n of the text, or an empty line if "
           "there is none.";
  return "Line n of the alignment file must be the alignment of line n of the text, or an empty "
         "line if there is none.";
}

/// Names the first file and the first one that has another number of lines.
[[noreturn]] void reject_counts(std::vector<LineReader>& readers, const SplitText& split) {
  const int64_t first = count_lines(readers[0]);
  size_t number = 1;
  int64_t second = count_lines(readers[1]);
  while (second == first) second = count_lines(readers[++number]);
  throw DataError(fmt::format("{} has {}, {} has {}: line {} of {} has no counterpart",
                              readers[0].path(),
                              counted(first, "line"),
                              readers[number].path(),
                              second,
                              std::min(first, second) + 1,
                              readers[first > second ? 0 : number].path()),
                  counterpart_remedy(split, number));
}

/// The next line of every file; false at their common end.
bool next_of_all(std::vector<LineReader>& readers,
                 std::vector<std::string>& lines,
                 const SplitText& split) {
  size_t ended = 0;
  for (size_t i = 0; i < readers.size(); ++i) ended += readers[i].next(lines[i]) ? 0 : 1;
  if (ended != 0 && ended != readers.size())
    reject_counts(readers, split);
  return ended == 0;
}

void note_findings(SplitReport& report, const std::vector<LineReader>& readers, size_t places) {
  bool bad = false;
  for (const LineReader& reader : readers) {
    bad = bad || reader.bad();
    if (reader.defect().empty())
      continue;
    report.findings[fmt::format("{}: {}", reader.path(), reader.defect())].add(report.lines,
                                                                               places);
  }
  if (bad)
    report.skipped.push_back(report.lines);
}

bool has_words(const std::string& line) { return !split_whitespace(line).empty(); }

}  // namespace

void Findings::add(int64_t line, size_t places) {
  ++count;
  if (first_lines.size() < places)
    first_lines.push_back(line);
}

std::string Findings::text(std::string_view what) const {
  const bool more = count > static_cast<int64_t>(first_lines.size());
  return fmt::format(
      "{} × {}, line {}{}", count, what, fmt::join(first_lines, ", "), more ? " …" : "");
}

SplitReport check_split(const SplitText& split, const LineReaderOptions& options, size_t places) {
  std::vector<LineReader> readers;
  for (const std::string& file : split.files) readers.emplace_back(file, options);
  const auto sides = static_cast<std::ptrdiff_t>(readers.size());
  for (const std::string& beside : {split.trees, split.alignments}) {
    if (!beside.empty())
      readers.emplace_back(beside, options);
  }
  std::vector<std::string> lines(readers.size());
  SplitReport report;
  while (next_of_all(readers, lines, split)) {
    ++report.lines;
    note_findings(report, readers, places);
    const bool skipped = !report.skipped.empty() && report.skipped.back() == report.lines;
    if (!skipped && !std::all_of(lines.begin(), lines.begin() + sides, has_words))
      ++report.empty;
  }
  return report;
}

std::string to_string(const SplitReport& report, const SplitText& split) {
  std::string text = fmt::format("{}: read {}, kept {}, skipped {}; {} kept with an empty side",
                                 split.name,
                                 counted(report.lines, "line"),
                                 report.kept(),
                                 report.skipped.size(),
                                 report.empty);
  for (const auto& [what, found] : report.findings) text += "\n  " + found.text(what);
  return text;
}

}  // namespace phraseq

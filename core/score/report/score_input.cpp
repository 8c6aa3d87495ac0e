#include "core/score/report/score_input.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/memory/available_memory.h"
#include "core/base/wording/counted.h"
#include "core/io/compressed/gzip_input.h"
#include "core/io/terminal_input.h"
#include "core/io/utf8.h"
#include "core/text/subword_marks.h"
#include "core/text/unicode.h"

namespace phraseq::score {
namespace {

/// The number of tokenized lines that causes a warning, as in sacrebleu.
constexpr int64_t kTokenizedLines = 100;
/// No sentence is longer; data without line ends is not text.
constexpr size_t kLongestLine = size_t{16} << 20;

GzipInput open(const std::string& path) {
  return path == "-" ? GzipInput(Descriptor(dup(STDIN_FILENO)), "standard input") : GzipInput(path);
}

/// Throws if the unfinished line at the end of `text`, which follows `lines` complete lines, is too
/// long.
void check_open_line(std::string_view text, size_t lines, const std::string& path) {
  const size_t end = text.rfind('\n');
  const size_t length = end == std::string_view::npos ? text.size() : text.size() - end - 1;
  if (length <= kLongestLine)
    return;
  throw DataError({path, static_cast<int64_t>(lines) + 1},
                  fmt::format("the line is longer than {} bytes", kLongestLine),
                  "Nothing was scored. Does the file separate lines with '\\n'?");
}

/// The whole text, decompressed if it is gzipped. A line that is too long is found before the rest
/// of it is read.
std::string read_all(const std::string& path) {
  GzipInput file = open(path);
  std::string text;
  std::array<char, 1 << 16> buffer{};
  size_t lines = 0;
  while (const size_t count = file.read(buffer.data(), buffer.size())) {
    if (text.size() + count > text.capacity())
      require_room(path, text.size(), 2 * text.capacity());
    text.append(buffer.data(), count);
    lines += static_cast<size_t>(std::count(buffer.data(), buffer.data() + count, '\n'));
    check_open_line(text, lines, path);
  }
  return text;
}

void check_line(std::string_view line, const std::string& path, size_t number) {
  const auto fault = find_text_fault(line, ControlBytes::kAllow);
  if (!fault)
    return;
  throw DataError(
      {path, static_cast<int64_t>(number), static_cast<int64_t>(fault->offset) + 1},
      fmt::format("invalid UTF-8 (byte 0x{:02X})", static_cast<unsigned char>(line[fault->offset])),
      "Nothing was scored; convert the file to UTF-8, for example with iconv.");
}

/// Splits each line of `stream` at its first `fields` - 1 TABs.
std::vector<Lines> split_fields(const Lines& stream, const std::string& path, size_t fields) {
  std::vector<Lines> references(fields);
  for (size_t number = 0; number < stream.size(); ++number) {
    const std::string& line = stream[number];
    size_t begin = 0;
    for (size_t field = 0; field < fields; ++field) {
      const size_t tab = field + 1 < fields ? line.find('\t', begin) : line.size();
      if (tab == std::string::npos) {
        throw DataError({path, static_cast<int64_t>(number) + 1},
                        fmt::format("{} TAB-separated references, expected {}", field + 1, fields),
                        "--num-refs must be the number of references on every line.");
      }
      references[field].push_back(line.substr(begin, tab - begin));
      begin = tab + 1;
    }
  }
  return references;
}

void check_counts(const ScoreInput& input, const std::vector<std::string>& reference_names) {
  for (const auto& system : input.systems) {
    if (system.lines.empty())
      throw DataError(fmt::format("{}: no lines to score", system.name),
                      "Give the translations of the system with -i FILE, or on standard input.");
    for (size_t stream = 0; stream < input.references.size(); ++stream) {
      const auto& name = reference_names[std::min(stream, reference_names.size() - 1)];
      const size_t count = input.references[stream].size();
      if (count == system.lines.size())
        continue;
      throw DataError(
          fmt::format("{} has {}, {} has {}",
                      system.name,
                      counted(static_cast<int64_t>(system.lines.size()), "line"),
                      name,
                      count),
          "Line i of a system is scored against line i of the reference; nothing was scored.");
    }
  }
}

/// Warns if the lines consist of subwords with the marks of subword-nmt or SentencePiece.
bool warn_if_segmented(const std::string& name, const Lines& lines) {
  const SubwordMarks all = count_subword_marks(lines);
  if (!all.is_segmented())
    return false;
  log_warning(fmt::format(
      "{}: the score is computed on subwords, with the marks {}. Score text: the D- lines of "
      "phraseq generate, or H- and T- lines joined with --remove-bpe {} (--force turns off this "
      "warning)",
      name,
      all.ended >= all.begun ? "@@" : "U+2581",
      all.ended >= all.begun ? "subword_nmt" : "sentencepiece"));
  return true;
}

}  // namespace

ScoreInput read_score_input(const std::vector<std::string>& inputs,
                            const std::vector<std::string>& references,
                            size_t fields) {
  ScoreInput input;
  for (const auto& path : references) input.references.push_back(read_score_lines(path));
  if (fields > 1)
    input.references = split_fields(input.references.at(0), references.at(0), fields);
  std::set<std::string> names;
  for (const auto& path : inputs.empty() ? std::vector<std::string>{"-"} : inputs) {
    if (!names.insert(path).second) {
      throw UsageError(fmt::format("the system '{}' is given twice", path),
                       "Give each system its own file.");
    }
    if (path == "-")
      announce_terminal_input("the output of the system, one sentence per line,");
    input.systems.push_back({path, read_score_lines(path)});
  }
  check_counts(input, references);
  return input;
}

void warn_about_tokens(const ScoreInput& input) {
  for (const auto& system : input.systems) {
    const auto count = std::count_if(system.lines.begin(),
                                     system.lines.end(),
                                     [](const auto& line) { return line.ends_with(" ."); });
    if (count < kTokenizedLines)
      continue;
    log_warning(
        fmt::format("{}: {} lines end in a tokenized period; detokenize the text, otherwise the "
                    "score is not comparable (--force turns off this warning)",
                    system.name,
                    count));
  }
}

void warn_about_subwords(const ScoreInput& input) {
  bool has_warned = false;
  for (const auto& system : input.systems)
    has_warned |= warn_if_segmented(system.name, system.lines);
  // References are checked only if no system was reported: usually both consist of subwords.
  for (size_t i = 0; !has_warned && i < input.references.size(); ++i)
    has_warned = warn_if_segmented(fmt::format("reference {}", i + 1), input.references[i]);
}

Lines read_score_lines(const std::string& path) {
  const std::string text = read_all(path);
  Lines lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos)
      end = text.size();
    const std::string_view line(text.data() + begin, end - begin);
    check_line(line, path, lines.size() + 1);
    lines.emplace_back(strip_right(line));
    begin = end + 1;
  }
  return lines;
}

}  // namespace phraseq::score

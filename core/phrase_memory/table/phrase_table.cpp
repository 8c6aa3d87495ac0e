#include "core/phrase_memory/table/phrase_table.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/base/wording/counted.h"
#include "core/io/line_reader.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

constexpr std::string_view kSeparator = "|||";
constexpr size_t kFields = 5;
constexpr const char* kFormatHint =
    "A line is 'source ||| target ||| category ||| probability ||| count', with words separated by "
    "single spaces. 'phraseq phrase-table check FILE' lists all invalid lines.";

/// Takes the one space on the sides that face a separator; false when one is missing.
bool trim_field(std::string_view& field, bool is_first, bool is_last) {
  if (field == " ") {  // both sides' space at once: an empty field
    field = {};
    return true;
  }
  if (!is_first) {
    if (!field.starts_with(' '))
      return false;
    field.remove_prefix(1);
  }
  if (!is_last) {
    if (!field.ends_with(' '))
      return false;
    field.remove_suffix(1);
  }
  return true;
}

/// A field of words: problems are said about `name`.
std::vector<std::string> read_words(std::string_view field,
                                    const char* name,
                                    std::vector<std::string>& problems) {
  std::vector<std::string> words = phrase_words(field);
  if (words.empty())
    problems.push_back(fmt::format("the {} is empty", name));
  else if (phrase_text(words) != field)
    problems.push_back(fmt::format("the {} contains whitespace other than single spaces", name));
  return words;
}

/// What is lowercased in an entry.
struct Lowering {
  bool source = false;
  bool target = false;
};

void lower(std::vector<std::string>& words) {
  for (std::string& word : words) word = to_lowercase(word);
}

ParsedPhraseLine parse_line(std::string_view line, int64_t number, Lowering lowering) {
  ParsedPhraseLine parsed = parse_phrase_line(line);
  parsed.entry.line = number;
  if (lowering.source)
    lower(parsed.entry.source);
  if (lowering.target)
    lower(parsed.entry.target);
  return parsed;
}

/// A line that is not valid text cannot be parsed: its fault is reported as the problem.
ParsedPhraseLine unreadable_line(const LineReader& reader) {
  ParsedPhraseLine parsed;
  parsed.entry.line = reader.line_number();
  parsed.problems.push_back(fmt::format("the line cannot be read: {}", reader.defect()));
  return parsed;
}

/// Calls `take(parsed)` for every line of the file.
template <typename Take>
void read_table(const std::string& path, Lowering lowering, OnBadLine on_bad_line, Take take) {
  LineReader reader(path, {.on_bad_line = on_bad_line});
  for (std::string line; reader.next(line);)
    take(reader.bad() ? unreadable_line(reader) : parse_line(line, reader.line_number(), lowering));
}

/// What a later entry with the source of an earlier one is.
PhraseTableProblem repetition(const PhraseEntry& entry, const PhraseEntry& earlier) {
  if (entry.target == earlier.target) {
    return {entry.line,
            "duplicate",
            fmt::format("'{}' is a duplicate of line {}", phrase_text(entry.source), earlier.line)};
  }
  return {entry.line,
          "conflict",
          fmt::format("'{}' is '{}' here but '{}' in line {}",
                      phrase_text(entry.source),
                      phrase_text(entry.target),
                      phrase_text(earlier.target),
                      earlier.line)};
}

/// Entries with each source once; anything else is rejected.
class EntryList {
 public:
  EntryList(std::string name, bool lowercase) : name_(std::move(name)), lowercase_(lowercase) {}

  void add(ParsedPhraseLine parsed) {
    PhraseEntry& entry = parsed.entry;
    const TextPlace place{name_, entry.line};
    if (!parsed.problems.empty())
      throw DataError(place, fmt::format("{}", fmt::join(parsed.problems, "; ")), kFormatHint);
    const auto [at, is_new] = known_.emplace(phrase_text(entry.source), entries_.size());
    if (!is_new) {
      throw DataError(
          place,
          repetition(entry, entries_[at->second]).text + (lowercase_ ? ", lowercased" : "") +
              "; a source may have only one entry",
          "Keep one of the two lines. 'phraseq phrase-table check FILE' lists all duplicates.");
    }
    entries_.push_back(std::move(entry));
  }
  std::vector<PhraseEntry> take() { return std::move(entries_); }

 private:
  std::string name_;
  bool lowercase_;
  std::unordered_map<std::string, size_t> known_;
  std::vector<PhraseEntry> entries_;
};

}  // namespace

std::vector<std::string> phrase_words(std::string_view text) {
  const auto words = split_whitespace(text);
  return {words.begin(), words.end()};
}

std::string phrase_text(const std::vector<std::string>& words) {
  return join_words(words);
}

ParsedPhraseLine parse_phrase_line(std::string_view line) {
  ParsedPhraseLine parsed;
  auto& problems = parsed.problems;
  auto fields = split_text(line, kSeparator);
  if (fields.size() != kFields) {
    problems.push_back(
        fmt::format("{}, expected {}", counted(std::ssize(fields), "field"), kFields));
    return parsed;
  }
  bool is_spaced = true;
  for (size_t i = 0; i < kFields; ++i) is_spaced &= trim_field(fields[i], i == 0, i + 1 == kFields);
  if (!is_spaced)
    problems.emplace_back("'|||' needs a single space before and after it");
  parsed.entry.source = read_words(fields[0], "source", problems);
  parsed.entry.target = read_words(fields[1], "target", problems);
  parsed.entry.category = fields[2];
  if (phrase_words(fields[2]) != std::vector{parsed.entry.category})
    problems.push_back(fmt::format("the category '{}' is not a single word", fields[2]));
  const double probability = number_in<double>(fields[3]).value_or(0);
  parsed.entry.probability = probability;
  if (!(probability > 0 && probability <= 1)) {
    problems.push_back(
        fmt::format("the probability '{}' is not a number above 0 and at most 1", fields[3]));
  }
  parsed.entry.count = number_in<int64_t>(fields[4]).value_or(0);
  if (parsed.entry.count < 1)
    problems.push_back(fmt::format("the count '{}' is not a positive integer", fields[4]));
  return parsed;
}

std::string phrase_line(const PhraseEntry& entry) {
  return fmt::format("{} ||| {} ||| {} ||| {} ||| {}",
                     fmt::join(entry.source, " "),
                     fmt::join(entry.target, " "),
                     entry.category,
                     entry.probability,
                     entry.count);
}

PhraseTable PhraseTable::read(const std::string& path, bool lowercase, bool keeps_target_case) {
  EntryList entries(path, lowercase);
  const Lowering lowering{lowercase, lowercase && !keeps_target_case};
  read_table(path, lowering, OnBadLine::kError, [&](ParsedPhraseLine parsed) {
    entries.add(std::move(parsed));
  });
  PhraseTable table;
  table.entries_ = entries.take();
  return table;
}

PhraseTable PhraseTable::parse(std::string_view text,
                               const std::string& name,
                               bool lowercase,
                               bool keeps_target_case) {
  EntryList entries(name, lowercase);
  const Lowering lowering{lowercase, lowercase && !keeps_target_case};
  int64_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    entries.add(parse_line(text.substr(begin, end - begin), ++number, lowering));
    begin = end + 1;
  }
  PhraseTable table;
  table.entries_ = entries.take();
  return table;
}

std::string PhraseTable::text() const {
  std::string text;
  for (const PhraseEntry& entry : entries_) text += phrase_line(entry) + '\n';
  return text;
}

std::vector<PhraseTableProblem> check_phrase_table(const std::string& path, bool lowercase) {
  std::vector<PhraseTableProblem> found;
  std::unordered_map<std::string, PhraseEntry> known;
  read_table(path, {lowercase, lowercase}, OnBadLine::kSkip, [&](ParsedPhraseLine parsed) {
    PhraseEntry& entry = parsed.entry;
    for (std::string& problem : parsed.problems)
      found.push_back({entry.line, "format", std::move(problem)});
    if (entry.source.empty() || entry.target.empty())
      return;
    const auto [at, is_new] = known.try_emplace(phrase_text(entry.source), entry);
    if (!is_new)
      found.push_back(repetition(entry, at->second));
  });
  return found;
}

}  // namespace phraseq

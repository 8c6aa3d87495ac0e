#include "core/score/mbr/nbest_list.h"

#include <algorithm>
#include <map>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/base/wording/message_text.h"
#include "core/io/line_reader.h"
#include "core/text/unicode.h"

namespace phraseq::score {
namespace {

struct Entry {
  int64_t id = 0;
  double score = 0;
  std::string text;
};

/// Parses "D-17<tab>-0.3<tab>text"; nothing for a line of another kind. The score is in base 2 and
/// divided by a power of the length, so it is not a probability.
std::optional<Entry> fairseq_entry(std::string_view line) {
  const auto fields = split_text(line, "\t");
  if (fields.size() < 3)
    return std::nullopt;
  const auto id = number_in<int64_t>(fields[0].substr(2));
  const auto score = finite_number_in(fields[1]);
  if (!id || !score)
    return std::nullopt;
  const size_t text = fields[0].size() + fields[1].size() + 2;
  return Entry{*id, *score, std::string(line.substr(text))};
}

/// Parses "P-17<tab>-0.3 -0.1" as the natural logarithm of the probability of all tokens.
std::optional<Entry> fairseq_probability(std::string_view line) {
  const auto fields = split_text(line, "\t");
  const auto id = number_in<int64_t>(fields[0].substr(2));
  if (!id || fields.size() < 2)
    return std::nullopt;
  double sum = 0;
  for (const std::string_view text : split_whitespace(fields[1])) {
    const auto number = finite_number_in(text);
    if (!number)
      return std::nullopt;
    sum += *number;
  }
  return Entry{*id, sum * std::numbers::ln2, {}};
}

/// Splits a line at "|||" and removes the spaces around the fields. The line of an empty
/// translation begins with "0 ||| |||".
std::vector<std::string_view> moses_fields(std::string_view line) {
  constexpr std::string_view kSeparator = " |||";
  std::vector<std::string_view> fields;
  size_t begin = 0;
  for (size_t at = line.find(kSeparator); at != std::string_view::npos;
       at = line.find(kSeparator, at + 1)) {
    const size_t end = at + kSeparator.size();
    if (end < line.size() && line[end] != ' ')
      continue;  // the beginning of a longer word
    fields.push_back(trimmed(line.substr(begin, at - begin)));
    begin = end;
  }
  fields.push_back(trimmed(line.substr(begin)));
  return fields;
}

/// Whether a field is an alignment: "0-0 1-2" for words, "0=0 1-2=1" for phrases, empty if no words
/// are aligned.
bool is_moses_alignment(std::string_view field) {
  return field.find_first_not_of("0123456789-= ") == std::string_view::npos &&
         !finite_number_in(field);
}

/// Parses a line of Moses, which can have alignments after the score, and no score unless it is
/// needed.
std::optional<Entry> moses_entry(std::string_view line, bool needs_score) {
  auto fields = moses_fields(line);
  while (fields.size() > 4 && is_moses_alignment(fields.back())) fields.pop_back();
  if (fields.size() < (needs_score ? 3U : 2U))
    return std::nullopt;
  const auto id = number_in<int64_t>(fields.front());
  const auto score = fields.size() < 3 ? 0.0 : finite_number_in(fields.back());
  if (!id || !score)
    return std::nullopt;
  return Entry{*id, *score, std::string(fields[1])};
}

using Lists = std::map<int64_t, NBestList>;

void add(Lists& lists, Entry entry) {
  NBestList& list = lists[entry.id];
  list.texts.push_back(std::move(entry.text));
  list.scores.push_back(entry.score);
}

std::vector<NBestList> in_order(Lists lists, const std::string& file) {
  std::vector<NBestList> ordered;
  for (auto& [id, list] : lists) {
    if (id != static_cast<int64_t>(ordered.size())) {
      throw DataError(
          {file, 0, 0},
          fmt::format("sentence {} has no hypotheses, but sentence {} does", ordered.size(), id),
          "Ids must be 0, 1, 2 … without a gap.");
    }
    ordered.push_back(std::move(list));
  }
  return ordered;
}

/// The lines of one sentence in fairseq's format.
struct FairseqLines {
  std::vector<std::string> texts;                    ///< D-
  std::vector<std::string> symbols;                  ///< H-
  std::vector<int64_t> places;                       ///< the first line of each hypothesis
  std::vector<std::optional<double>> probabilities;  ///< from the following P- line, as ln p
};

/// Reads the D- lines of each sentence or, if it has none, its H- lines, and the P- lines on
/// demand.
class FairseqListReader {
 public:
  FairseqListReader(LineReader& reader, bool needs_probabilities)
      : reader_(reader), needs_probabilities_(needs_probabilities) {}

  std::vector<NBestList> read() {
    for (std::string line; reader_.next(line);) {
      if (line.starts_with("D-") || line.starts_with("H-"))
        take_text(line);
      else if (needs_probabilities_ && line.starts_with("P-"))
        take_probability(line);
    }
    if (sentences_.empty() && reader_.line_number() > 0) {
      throw DataError({reader_.path(), 0, 0},
                      "there are no hypotheses: no line begins with D- or H-",
                      "Give the output of `phraseq generate --format fairseq --nbest N`, or select "
                      "another --format.");
    }
    Lists lists;
    for (auto& [id, lines] : sentences_) lists.emplace(id, list_of(id, std::move(lines)));
    return in_order(std::move(lists), reader_.path());
  }

 private:
  [[noreturn]] void reject(int64_t line, const std::string& problem) const {
    throw DataError({reader_.path(), line, 0},
                    problem,
                    "Give the output of `phraseq generate --format fairseq --nbest N`.");
  }

  void take_text(const std::string& line) {
    auto entry = fairseq_entry(line);
    if (!entry) {
      reject(reader_.line_number(),
             fmt::format("expected {}ID<TAB>score<TAB>text, the score a finite number",
                         line.substr(0, 2)));
    }
    const bool is_text = line.front() == 'D';
    has_texts_ = has_texts_ || is_text;
    FairseqLines& lines = sentences_[entry->id];
    (is_text ? lines.texts : lines.symbols).push_back(std::move(entry->text));
    if (std::max(lines.texts.size(), lines.symbols.size()) > lines.places.size()) {
      lines.places.push_back(reader_.line_number());
      lines.probabilities.emplace_back();
    }
  }

  /// Stores the probability of a P- line in the hypothesis before it.
  void take_probability(const std::string& line) {
    const auto entry = fairseq_probability(line);
    if (!entry)
      reject(reader_.line_number(),
             fmt::format("'{}' is not P-ID<TAB>numbers, all of them finite", excerpt(line)));
    const auto known = sentences_.find(entry->id);
    if (known == sentences_.end() || known->second.probabilities.back().has_value())
      reject(reader_.line_number(), "a P- line must follow the H- and D- lines of its hypothesis");
    known->second.probabilities.back() = entry->score;
  }

  NBestList list_of(int64_t id, FairseqLines lines) const {
    if (has_texts_ && !lines.symbols.empty() && lines.texts.size() != lines.symbols.size()) {
      reject(lines.places.front(),
             fmt::format("sentence {} has {} H- and {} D- lines",
                         id,
                         lines.symbols.size(),
                         lines.texts.size()));
    }
    NBestList list{has_texts_ ? std::move(lines.texts) : std::move(lines.symbols), {}};
    for (size_t i = 0; needs_probabilities_ && i < lines.places.size(); ++i) {
      if (!lines.probabilities[i])
        reject_without_probability(lines.places[i]);
      list.scores.push_back(*lines.probabilities[i]);
    }
    return list;
  }

  [[noreturn]] void reject_without_probability(int64_t line) const {
    throw DataError({reader_.path(), line, 0},
                    "the hypothesis has no P- line, which contains the probabilities of its tokens",
                    "Give all lines of `phraseq generate --format fairseq --nbest N`, or use "
                    "--weights uniform.");
  }

  LineReader& reader_;
  bool needs_probabilities_;
  bool has_texts_ = false;
  std::map<int64_t, FairseqLines> sentences_;
};

std::vector<NBestList> read_moses(LineReader& reader, bool needs_scores) {
  Lists lists;
  std::string line;
  while (reader.next(line)) {
    auto entry = moses_entry(line, needs_scores);
    if (!entry) {
      throw DataError(
          {reader.path(), reader.line_number(), 0},
          fmt::format("expected {}ID ||| text ||| features ||| score, the score a finite number",
                      needs_scores ? "" : "ID ||| text, or "),
          needs_scores ? "--weights uniform needs no scores." : "Select another --format.");
    }
    add(lists, std::move(*entry));
  }
  return in_order(std::move(lists), reader.path());
}

std::vector<NBestList> read_plain(LineReader& reader, int64_t size) {
  std::vector<NBestList> lists;
  std::string line;
  while (reader.next(line)) {
    if (lists.empty() || static_cast<int64_t>(lists.back().texts.size()) == size)
      lists.emplace_back();
    lists.back().texts.push_back(line);
  }
  if (!lists.empty() && static_cast<int64_t>(lists.back().texts.size()) != size) {
    throw DataError(
        {reader.path(), reader.line_number(), 0},
        fmt::format(
            "the last sentence has only {} of {} hypotheses", lists.back().texts.size(), size),
        "--nbest must be the number of lines of each sentence.");
  }
  return lists;
}

}  // namespace

std::vector<NBestList> read_nbest_lists(const std::string& path,
                                        NBestFormat format,
                                        int64_t size,
                                        bool needs_probabilities) {
  LineReader reader(path);
  switch (format) {
    case NBestFormat::kFairseq:
      return FairseqListReader(reader, needs_probabilities).read();
    case NBestFormat::kMoses:
      return read_moses(reader, needs_probabilities);
    case NBestFormat::kPlain:
      break;
  }
  return read_plain(reader, size);
}

}  // namespace phraseq::score

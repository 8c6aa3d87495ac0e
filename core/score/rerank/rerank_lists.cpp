#include "core/score/rerank/rerank_lists.h"

#include <algorithm>
#include <map>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/text_fields.h"
#include "core/base/wording/counted.h"
#include "core/base/wording/message_text.h"
#include "core/io/atomic_file.h"
#include "core/io/line_reader.h"
#include "core/text/unicode.h"

namespace phraseq::score {
namespace {

int64_t count_words(std::string_view text) {
  return static_cast<int64_t>(split_whitespace(text).size());
}

/// The sum of the numbers of a P- line, which are in base 2, as a natural logarithm.
std::optional<double> sum_of(std::string_view numbers) {
  double sum = 0;
  for (const std::string_view text : split_whitespace(numbers)) {
    const auto number = finite_number_in(text);
    if (!number)
      return std::nullopt;
    sum += *number;
  }
  return sum * std::numbers::ln2;
}

/// Reads the file and collects the lines of each sentence.
class ListReader {
 public:
  ListReader(const std::string& path, bool needs_sources)
      : reader_(path), needs_sources_(needs_sources) {}

  std::vector<RerankList> read() {
    for (std::string line; reader_.next(line);) {
      const bool has_mark = line.size() > 2 && line[1] == '-';
      if (has_mark && std::string_view("SHDP").find(line[0]) != std::string_view::npos)
        take(line);
    }
    if (sentences_.empty())
      reject(0, "there are no hypotheses");
    check_numbers();
    std::vector<RerankList> all;
    for (auto& [id, lines] : sentences_) {
      all.push_back(finished(id, std::move(lines)));
      all.back().id = id;
    }
    return all;
  }

 private:
  struct Lines {
    RerankList list;
    int64_t first_line = 0;  ///< in the file
    bool has_source = false;
    size_t texts = 0;
    size_t scores = 0;
  };

  [[noreturn]] void reject(int64_t line, const std::string& problem) const {
    throw DataError({reader_.path(), line, 0},
                    problem,
                    "Give all of the output of one `phraseq generate --format fairseq --nbest N`.");
  }

  void take(const std::string& line) {
    const auto fields = split_text(line, "\t");
    const auto id = number_in<int64_t>(fields[0].substr(2));
    const size_t needed = line[0] == 'S' || line[0] == 'P' ? 2 : 3;
    if (!id || fields.size() < needed)
      reject(reader_.line_number(), fmt::format("'{}' is cut off", excerpt(line)));
    Lines& lines = sentences_[*id];
    if (lines.first_line == 0)
      lines.first_line = reader_.line_number();
    const size_t head = fields[0].size() + 1 + (needed == 3 ? fields[1].size() + 1 : 0);
    add(lines, line[0], std::string_view(line).substr(head));
  }

  void add(Lines& lines, char kind, std::string_view text) {
    auto& hypotheses = lines.list.hypotheses;
    if (kind == 'S') {
      if (std::exchange(lines.has_source, true))
        reject(reader_.line_number(),
               fmt::format("a second S- line; the lines of this sentence begin in line {}",
                           lines.first_line));
      lines.list.source = text;
      lines.list.tokens = count_words(text);
    } else if (kind == 'H') {
      check_place(lines);
      hypotheses.push_back({std::string(text), std::string(text)});
      hypotheses.back().words = hypotheses.back().tokens = count_words(text);
    } else if (kind == 'D' && lines.texts < hypotheses.size()) {
      auto& hypothesis = hypotheses[lines.texts++];
      hypothesis.text = text;
      hypothesis.words = count_words(text);
    } else if (kind == 'P' && lines.scores < hypotheses.size()) {
      const auto sum = sum_of(text);
      if (!sum)
        reject(reader_.line_number(), "the P- line contains something that is not a finite number");
      hypotheses[lines.scores++].forward = *sum;
    } else {
      reject(reader_.line_number(), fmt::format("a {}- line without its H- line", kind));
    }
  }

  /// Rejects a hypothesis that is not adjacent to the others of its sentence: a second list
  /// probably begins there.
  void check_place(const Lines& lines) {
    const Lines* const last = std::exchange(last_, &lines);
    if (last != nullptr && last != &lines && !lines.list.hypotheses.empty()) {
      reject(reader_.line_number(),
             fmt::format("a hypothesis of a sentence whose lines begin in line {}, after those of "
                         "other sentences: are there several lists in the file?",
                         lines.first_line));
    }
  }

  /// Rejects gaps in the numbers: the output has a line for each sentence.
  void check_numbers() const {
    int64_t expected = 0;
    for (const auto& [id, lines] : sentences_) {
      if (id != expected)
        reject(lines.first_line,
               fmt::format("sentence {}, but there is no sentence {}: the numbers must be 0, 1, 2 "
                           "and so on, without gaps",
                           id,
                           expected));
      ++expected;
    }
  }

  RerankList finished(int64_t id, Lines lines) const {
    const size_t count = lines.list.hypotheses.size();
    if (count == 0)
      reject(0, fmt::format("sentence {} has no hypotheses", id));
    if (lines.scores != count)
      reject(0, fmt::format("sentence {} has {} H- and {} P- lines", id, count, lines.scores));
    if (lines.texts != 0 && lines.texts != count)
      reject(lines.first_line,
             fmt::format("sentence {} has {} H- and {} D- lines", id, count, lines.texts));
    if (needs_sources_ && !lines.has_source)
      reject(lines.first_line,
             fmt::format("sentence {} has no S- line, which --normalize and --write-pairs without "
                         "--source need",
                         id));
    return std::move(lines.list);
  }

  LineReader reader_;
  bool needs_sources_;
  std::map<int64_t, Lines> sentences_;
  const Lines* last_ = nullptr;  ///< the sentence of the last hypothesis
};

/// Writes a line for each hypothesis into each of two files.
class PairWriter {
 public:
  explicit PairWriter(const std::string& prefix)
      : sources_(prefix + ".src"), targets_(prefix + ".hyp") {}

  void write(const RerankList& list,
             const std::string& source,
             std::string RerankHypothesis::*target) {
    for (const RerankHypothesis& hypothesis : list.hypotheses) {
      sources_.write(source + '\n');
      targets_.write(hypothesis.*target + '\n');
    }
  }

  /// Commits both files only after both have been written, so that a new file is not paired with an
  /// old one.
  void commit() {
    sources_.finish();
    targets_.finish();
    sources_.commit();
    targets_.commit();
  }

 private:
  AtomicFile sources_;
  AtomicFile targets_;
};

bool is_subwords(const RerankHypothesis& hypothesis) {
  return hypothesis.symbols != hypothesis.text;
}

/// Warns if the pairs are subwords: a model with its own tokenizer would split the symbols again
/// and score something else.
void warn_of_subwords(const std::vector<RerankList>& lists) {
  for (const RerankList& list : lists) {
    if (std::any_of(list.hypotheses.begin(), list.hypotheses.end(), is_subwords)) {
      log_warning(
          "the pairs are subwords or other symbols, which only models with this vocabulary and "
          "without a tokenizer of their own can score. For other models, give the text that was "
          "translated with --source FILE: the pairs are then plain text.");
      return;
    }
  }
}

/// Throws unless there is one line for each list; the lists are those of sentences 0, 1, 2 and so
/// on.
void require_all_lines(const std::vector<RerankList>& lists,
                       const std::vector<std::string>& lines,
                       const std::string& path) {
  if (lists.size() == lines.size())
    return;
  throw DataError({path, 0, 0},
                  fmt::format("{}, but there are hypotheses of {}",
                              counted(std::ssize(lines), "line"),
                              counted(std::ssize(lists), "sentence")),
                  "Give the text that was translated, with all its lines.");
}

}  // namespace

std::vector<RerankList> read_rerank_lists(const std::string& path, bool needs_sources) {
  return ListReader(path, needs_sources).read();
}

void read_scores(const std::string& path,
                 double RerankHypothesis::*score,
                 std::vector<RerankList>& lists) {
  LineReader reader(path);
  std::string line;
  int64_t hypotheses = 0;
  const auto reject = [&](const std::string& problem) {
    throw DataError({path, reader.line_number(), 0},
                    problem,
                    "Give the output of `phraseq rescore` for the files that --write-pairs wrote.");
  };
  for (RerankList& list : lists) {
    for (RerankHypothesis& hypothesis : list.hypotheses) {
      if (!reader.next(line))
        reject(fmt::format("the file ends after {} scores", hypotheses));
      const auto number = finite_number_in(strip(line));
      if (!number)
        reject(fmt::format("'{}' is not a finite number", excerpt(line)));
      hypothesis.*score = *number;
      ++hypotheses;
    }
  }
  if (reader.next(line))
    reject(fmt::format("there are more scores than the {} hypotheses", hypotheses));
}

void write_pairs(const std::vector<RerankList>& lists, const std::string& prefix) {
  warn_of_subwords(lists);
  PairWriter writer(prefix);
  for (const RerankList& list : lists) writer.write(list, list.source, &RerankHypothesis::symbols);
  writer.commit();
}

void write_text_pairs(const std::vector<RerankList>& lists,
                      const std::string& source,
                      const std::string& prefix) {
  const auto lines = read_lines(source);
  require_all_lines(lists, lines, source);
  PairWriter writer(prefix);
  for (const RerankList& list : lists)
    writer.write(list, lines[static_cast<size_t>(list.id)], &RerankHypothesis::text);
  writer.commit();
}

}  // namespace phraseq::score

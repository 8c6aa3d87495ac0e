#include "core/phrase_memory/shortlist/lexical_table.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/base/text_fields.h"
#include "core/io/line_reader.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

constexpr std::string_view kNoWord = "NULL";

/// The number of a source word's links by target word.
using Counts = std::unordered_map<uint32_t, int64_t>;

std::vector<Counts> count_links(const Bitext& bitext,
                                const std::vector<WordAlignment>& alignments) {
  std::vector<Counts> counts(bitext.source.words.size());
  for (size_t pair = 0; pair < alignments.size(); ++pair) {
    for (const AlignmentLink& link : alignments[pair]) {
      const uint32_t source = bitext.source.sentences[pair][static_cast<size_t>(link.source)];
      const uint32_t target = bitext.target.sentences[pair][static_cast<size_t>(link.target)];
      ++counts[source][target];
    }
  }
  return counts;
}

void append_entries(const std::string& source,
                    const Counts& counts,
                    const WordNumbers& targets,
                    int64_t best,
                    std::vector<LexicalEntry>& entries) {
  int64_t total = 0;
  for (const auto& [target, count] : counts) total += count;
  std::vector<LexicalEntry> own;
  for (const auto& [target, count] : counts) {
    own.push_back(
        {targets.word(target), source, static_cast<double>(count) / static_cast<double>(total)});
  }
  std::sort(own.begin(), own.end(), [](const LexicalEntry& a, const LexicalEntry& b) {
    return std::tuple(-a.probability, std::string_view(a.target)) <
           std::tuple(-b.probability, std::string_view(b.target));
  });
  if (best > 0 && static_cast<int64_t>(own.size()) > best)
    own.resize(static_cast<size_t>(best));
  std::move(own.begin(), own.end(), std::back_inserter(entries));
}

double parse_probability(std::string_view text, const TextPlace& place) {
  const double value = number_in<double>(text).value_or(-1);
  if (!(value >= 0 && value <= 1)) {
    throw DataError(place,
                    fmt::format("the probability '{}' is not a number from 0 to 1", text),
                    "A line is 'target source probability', as in Marian's lex.s2t.");
  }
  return value;
}

}  // namespace

std::vector<LexicalEntry> lexical_table(const Bitext& bitext,
                                        const std::vector<WordAlignment>& alignments,
                                        int64_t best) {
  const std::vector<Counts> counts = count_links(bitext, alignments);
  std::map<std::string, uint32_t> sources;  // by their bytes
  for (uint32_t source = 0; source < counts.size(); ++source)
    sources[bitext.source.words.word(source)] = source;
  std::vector<LexicalEntry> entries;
  for (const auto& [word, source] : sources)
    append_entries(word, counts[source], bitext.target.words, best, entries);
  return entries;
}

std::string lexical_line(const LexicalEntry& entry) {
  return fmt::format("{} {} {:.7f}", entry.target, entry.source, entry.probability);
}

void read_lexical_table(
    const std::string& path,
    const std::function<void(std::string_view, std::string_view, double)>& use) {
  LineReader reader(path);
  std::string line;
  while (reader.next(line)) {
    const TextPlace place{reader.path(), reader.line_number()};
    const auto words = split_ascii_whitespace(line);
    if (words.size() != 3) {
      throw DataError(place,
                      fmt::format("{} words instead of 3", words.size()),
                      "A line is 'target source probability', as in Marian's lex.s2t.");
    }
    const double probability = parse_probability(words[2], place);
    if (words[0] != kNoWord && words[1] != kNoWord)
      use(words[0], words[1], probability);
  }
}

}  // namespace phraseq

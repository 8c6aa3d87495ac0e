#include "core/phrase_memory/table/phrase_table_builder.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/wording/counted.h"
#include "core/io/line_reader.h"
#include "core/phrase_memory/phrase_matcher.h"
#include "core/phrase_memory/table/phrase_extraction.h"
#include "core/phrase_memory/table/word_aligner.h"

namespace phraseq {
namespace {

/// The word numbers of a phrase; a string, because strings have a hash.
using Phrase = std::u32string;
using Translations = std::unordered_map<Phrase, int64_t>;

Phrase phrase_at(const std::vector<uint32_t>& sentence, int64_t begin, int64_t length) {
  const auto first = sentence.begin() + begin;
  return {first, first + length};
}

std::vector<std::string> spelled(const Phrase& phrase, const WordNumbers& words) {
  std::vector<std::string> spelling;
  for (const char32_t number : phrase)
    spelling.push_back(words.word(static_cast<uint32_t>(number)));
  return spelling;
}

/// Calls `take(source phrase, target phrase)` for every consistent pair of the bitext.
template <typename Take>
void for_each_pair(const Bitext& bitext,
                   const std::vector<WordAlignment>& alignments,
                   int64_t longest,
                   Take take) {
  for (size_t i = 0; i < alignments.size(); ++i) {
    const auto& source = bitext.source.sentences[i];
    const auto& target = bitext.target.sentences[i];
    for (const PhrasePair& pair :
         consistent_pairs(alignments[i], static_cast<int64_t>(source.size()), longest)) {
      take(phrase_at(source, pair.source_begin, pair.source_length),
           phrase_at(target, pair.target_begin, pair.target_length));
    }
  }
}

bool is_number(const std::vector<std::string>& words) {
  bool has_digit = false;
  for (const std::string& word : words) {
    if (word.find_first_not_of("0123456789.,:/-") != std::string::npos)
      return false;
    has_digit |= word.find_first_of("0123456789") != std::string::npos;
  }
  return has_digit;
}

/// Two passes, so that translations are held of frequent phrases only.
std::unordered_map<Phrase, Translations> frequent_phrases(
    const Bitext& bitext,
    const std::vector<WordAlignment>& alignments,
    const PhraseTableThresholds& thresholds) {
  std::unordered_map<Phrase, int64_t> counts;
  for_each_pair(bitext, alignments, thresholds.max_len, [&](Phrase source, const Phrase&) {
    ++counts[std::move(source)];
  });
  std::unordered_map<Phrase, Translations> frequent;
  for_each_pair(bitext, alignments, thresholds.max_len, [&](Phrase source, Phrase target) {
    if (counts.at(source) >= thresholds.min_count)
      ++frequent[std::move(source)][std::move(target)];
  });
  return frequent;
}

PhraseEntry entry_of(const Phrase& source, const Translations& translations, const Bitext& bitext) {
  PhraseEntry entry;
  entry.count = 0;
  const auto* best = &*translations.begin();
  for (const auto& translation : translations) {
    entry.count += translation.second;
    const bool is_tied = translation.second == best->second;
    if (translation.second > best->second || (is_tied && translation.first < best->first))
      best = &translation;
  }
  entry.source = spelled(source, bitext.source.words);
  entry.target = spelled(best->first, bitext.target.words);
  entry.category = is_number(entry.source) ? "numbers" : "others";
  entry.probability = static_cast<double>(best->second) / static_cast<double>(entry.count);
  return entry;
}

void keep_terms(std::vector<PhraseEntry>& entries, double lowest) {
  const std::vector<double> values = c_values(entries);
  std::vector<PhraseEntry> kept;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (values[i] >= lowest)
      kept.push_back(std::move(entries[i]));
  }
  entries = std::move(kept);
}

void warn_of_long_pairs(const Bitext& bitext, const WordAligner& aligner) {
  int64_t count = 0;
  size_t first = 0;
  for (size_t i = bitext.source.sentences.size(); i-- > 0;) {
    if (!aligner.leaves_out(bitext.source.sentences[i], bitext.target.sentences[i]))
      continue;
    ++count;
    first = i;
  }
  if (count > 0) {
    log_warning(fmt::format("not aligned: {} with more than {} words on a side (first: line {})",
                            counted(count, "sentence pair"),
                            WordAlignerSettings().longest_sentence,
                            first + 1));
  }
}

/// The phrases that a phrase contains, except for itself.
std::set<int64_t> phrases_within(const std::vector<std::string>& words,
                                 const PhraseMatcher& matcher) {
  std::set<int64_t> phrases;
  for (const PhraseOccurrence& found : matcher.find(words)) {
    if (found.length < static_cast<int64_t>(words.size()))
      phrases.insert(found.phrase);
  }
  return phrases;
}

}  // namespace

std::vector<WordAlignment> align_words(const Bitext& bitext, int64_t iterations) {
  WordAlignerSettings settings;
  settings.iterations = iterations;
  auto backward_result = std::async(
      std::launch::async, [&] { return WordAligner(bitext.target, bitext.source, settings); });
  const WordAligner forward_aligner(bitext.source, bitext.target, settings);
  const WordAligner backward_aligner = backward_result.get();
  warn_of_long_pairs(bitext, forward_aligner);
  std::vector<WordAlignment> alignments;
  for (size_t i = 0; i < bitext.source.sentences.size(); ++i) {
    const auto& source = bitext.source.sentences[i];
    const auto& target = bitext.target.sentences[i];
    WordAlignment backward = backward_aligner.align(target, source);
    for (AlignmentLink& link : backward) std::swap(link.source, link.target);
    std::sort(backward.begin(), backward.end());
    alignments.push_back(symmetrize(forward_aligner.align(source, target), backward));
  }
  return alignments;
}

std::vector<WordAlignment> read_alignments(const std::string& path, const Bitext& bitext) {
  LineReader reader(path);
  std::vector<WordAlignment> alignments;
  const size_t expected = bitext.source.sentences.size();
  for (std::string line; reader.next(line);) {
    const size_t i = alignments.size();
    const TextPlace place{reader.path(), reader.line_number()};
    if (i == expected)
      throw DataError(place,
                      fmt::format("the bitext has only {}",
                                  counted(static_cast<int64_t>(expected), "sentence")));
    alignments.push_back(parse_alignment(line,
                                         static_cast<int64_t>(bitext.source.sentences[i].size()),
                                         static_cast<int64_t>(bitext.target.sentences[i].size()),
                                         place));
  }
  if (alignments.size() < expected) {
    throw DataError(
        fmt::format("{}: {} for {}",
                    path,
                    counted(static_cast<int64_t>(alignments.size()), "line"),
                    counted(static_cast<int64_t>(expected), "sentence")),
        "An alignment file has one line per sentence, with an empty line if nothing is aligned.");
  }
  return alignments;
}

std::vector<WordAlignment> read_or_align(const Bitext& bitext,
                                         const std::string& file,
                                         int64_t iterations) {
  return file.empty() ? align_words(bitext, iterations) : read_alignments(file, bitext);
}

std::vector<PhraseEntry> build_phrase_table(const Bitext& bitext,
                                            const std::vector<WordAlignment>& alignments,
                                            const PhraseTableThresholds& thresholds) {
  std::vector<std::pair<std::string, PhraseEntry>> found;  // with the text of the source
  for (const auto& [source, translations] : frequent_phrases(bitext, alignments, thresholds)) {
    PhraseEntry entry = entry_of(source, translations, bitext);
    if (entry.probability >= thresholds.min_prob &&
        parse_phrase_line(phrase_line(entry)).problems.empty())
      found.emplace_back(phrase_text(entry.source), std::move(entry));
  }
  std::ranges::sort(found, {}, &std::pair<std::string, PhraseEntry>::first);
  std::vector<PhraseEntry> entries;
  entries.reserve(found.size());
  for (auto& [text, entry] : found) entries.push_back(std::move(entry));
  if (thresholds.min_cvalue > 0)
    keep_terms(entries, thresholds.min_cvalue);
  return entries;
}

void categorize(std::vector<PhraseEntry>& entries, PhraseRules rules) {
  for (PhraseEntry& entry : entries) {
    if (auto category = rule_category(rules, entry.source))
      entry.category = *std::move(category);
  }
}

std::vector<double> c_values(const std::vector<PhraseEntry>& entries) {
  const PhraseMatcher matcher(entries);
  std::vector<double> sums(entries.size(), 0);
  std::vector<int64_t> containers(entries.size(), 0);
  for (const PhraseEntry& longer : entries) {
    for (const int64_t phrase : phrases_within(longer.source, matcher)) {
      sums[static_cast<size_t>(phrase)] += static_cast<double>(longer.count);
      ++containers[static_cast<size_t>(phrase)];
    }
  }
  std::vector<double> values;
  for (size_t i = 0; i < entries.size(); ++i) {
    const double mean = containers[i] == 0 ? 0 : sums[i] / static_cast<double>(containers[i]);
    const auto words = static_cast<double>(entries[i].source.size());
    values.push_back(std::log2(words) * (static_cast<double>(entries[i].count) - mean));
  }
  return values;
}

}  // namespace phraseq

#include "core/score/compare/word_frequencies.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/io/line_reader.h"
#include "core/text/unicode.h"

namespace phraseq::score {
namespace {

/// The size of the intersection of two sorted lists, as multisets.
size_t count_shared(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> shared;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(shared));
  return shared.size();
}

/// The number of sentences that have words in the reference or in an output.
size_t count_sentences_with_words(const std::vector<Statistics>& outputs) {
  size_t count = 0;
  for (size_t sentence = 0; sentence < outputs.front().sentences(); ++sentence) {
    const bool has_words = std::any_of(outputs.begin(), outputs.end(), [&](const auto& output) {
      const auto row = output.row(sentence);
      return row[1] + row[2] > 0;
    });
    count += has_words ? 1 : 0;
  }
  return count;
}

}  // namespace

std::vector<std::string> words_of(std::string_view line, const WordSettings& settings) {
  const std::string text =
      settings.tokenizer.tokenize(settings.lowercase ? to_lowercase(line) : std::string(line));
  const auto words = split_whitespace(text);
  return {words.begin(), words.end()};
}

WordFrequencies::WordFrequencies(WordSettings settings, const std::vector<std::string>& files)
    : settings_(std::move(settings)) {
  std::string line;
  bool has_words = false;
  for (const std::string& file : files) {
    LineReader reader(file);
    while (reader.next(line)) {
      for (const std::string& word : words_of(line, settings_)) {
        counts_.add(word);
        has_words = true;
      }
    }
  }
  if (!has_words)
    throw DataError(fmt::format("{}: the training text has no words", fmt::join(files, ", ")),
                    "Give the text in the target language that the systems were trained on.");
}

int64_t WordFrequencies::of(std::string_view word) const {
  return counts_.contains(word) ? counts_.count(counts_.id(word)) : 0;
}

/// The words of the line whose frequencies are in the range, sorted.
std::vector<std::string> WordF1::counted_words(std::string_view line) const {
  auto words = words_of(line, frequencies_.settings());
  std::erase_if(words, [this](const std::string& word) {
    const int64_t frequency = frequencies_.of(word);
    return frequency < from_ || (to_ && frequency >= *to_);
  });
  std::sort(words.begin(), words.end());
  return words;
}

void WordF1::measure(std::string_view hypothesis,
                     std::span<const std::string_view> references,
                     std::span<double> row) const {
  const auto words = counted_words(hypothesis);
  const auto reference = counted_words(references.front());
  row[0] = static_cast<double>(count_shared(words, reference));
  row[1] = static_cast<double>(words.size());
  row[2] = static_cast<double>(reference.size());
}

double WordF1::score(std::span<const double> sums) const {
  const double words = sums[1] + sums[2];
  return words > 0 ? 200 * sums[0] / words : 0;
}

std::vector<SignatureField> WordF1::signature() const {
  const WordSettings& settings = frequencies_.settings();
  return {{"case", "c", settings.lowercase ? "lc" : "mixed"},
          {"tok", "tok", settings.tokenizer.signature}};
}

BucketTable compare_by_frequency(const WordFrequencies& frequencies,
                                 const std::vector<int64_t>& edges,
                                 const ScoreInput& input,
                                 const std::vector<SystemOutputs>& systems,
                                 const Sampling& sampling) {
  BucketTable table;
  table.by = "word frequency in the training text";
  table.unit = "words";
  table.rows = make_buckets(edges);
  for (BucketScores& bucket : table.rows) {
    const WordF1 metric(frequencies, bucket.from, bucket.to);
    const auto outputs = collect_outputs(metric, input, sampling.threads);
    bucket.size = static_cast<size_t>(outputs.front().sums()[2]);
    if (bucket.size > 0)
      bucket.systems = compare_statistics(metric, outputs, systems, sampling);
    if (count_sentences_with_words(outputs) == 1)
      drop_tests(bucket.systems);
    table.metric = metric.name();
    table.signature = comparison_signature(metric, /*references=*/1, sampling);
  }
  return table;
}

}  // namespace phraseq::score

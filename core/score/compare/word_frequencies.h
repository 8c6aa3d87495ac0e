#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/score/compare/compared_scores.h"
#include "core/score/tokenizers/bleu_tokenizer.h"
#include "core/text/dictionary.h"

namespace phraseq::score {

/// What a word is: a token of one of BLEU's tokenizers, with or without its case.
struct WordSettings {
  BleuTokenizer tokenizer;
  bool lowercase = false;
};

/// The words of a line.
PHRASEQ_API std::vector<std::string> words_of(std::string_view line, const WordSettings& settings);

/// How often each word occurs in a training text.
class PHRASEQ_API WordFrequencies {
 public:
  /// Counts the words of text files, plain or compressed with gzip. Throws IoError if a file cannot
  /// be read, and DataError with file and line for invalid text, or if there are no words.
  WordFrequencies(WordSettings settings, const std::vector<std::string>& files);

  /// The frequency of a word; 0 if it does not occur.
  int64_t of(std::string_view word) const;
  const WordSettings& settings() const { return settings_; }

 private:
  WordSettings settings_;
  Dictionary counts_;
};

/// The F1 score, in percent, of the words with a frequency of at least `from` and below `to` in the
/// training text:
///
///   F1 = 2 · matches / (words of the system + words of the reference)
///
/// A word of a sentence matches at most as often as it occurs in the first reference.
class PHRASEQ_API WordF1 final : public Metric {
 public:
  WordF1(const WordFrequencies& frequencies, int64_t from, std::optional<int64_t> to)
      : frequencies_(frequencies), from_(from), to_(to) {}

  std::string name() const override { return "F1"; }
  /// matches, words of the system, words of the reference.
  size_t statistics() const override { return 3; }
  void measure(std::string_view hypothesis,
               std::span<const std::string_view> references,
               std::span<double> row) const override;
  double score(std::span<const double> sums) const override;
  std::vector<SignatureField> signature() const override;

 private:
  std::vector<std::string> counted_words(std::string_view line) const;

  const WordFrequencies& frequencies_;
  int64_t from_;
  std::optional<int64_t> to_;
};

/// Compares the systems by the F1 score of the words of each range of frequencies. `edges` as in
/// `make_buckets`; the size of a bucket is its number of words in the first reference.
PHRASEQ_API BucketTable compare_by_frequency(const WordFrequencies& frequencies,
                                             const std::vector<int64_t>& edges,
                                             const ScoreInput& input,
                                             const std::vector<SystemOutputs>& systems,
                                             const Sampling& sampling);

}  // namespace phraseq::score

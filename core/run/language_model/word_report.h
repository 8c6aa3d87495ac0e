#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// Sums up the log-probabilities of tokens by word, as fairseq-eval-lm does. With `continuation`
/// ("@@"), tokens that end in it are joined to the next: a word's log-probability is the sum of its
/// tokens', and it counts once. The part of a word at the end of a block counts as a word, even if
/// the word continues in the next block.
class PHRASEQ_API WordReport {
 public:
  struct Word {
    std::string text;
    double log_probability = 0;
  };

  /// `continuation` may be empty: every token is a word.
  WordReport(const Dictionary& dictionary, std::string continuation);

  /// Adds a block, whose tokens have these natural-log probabilities; returns its words.
  std::vector<Word> add(const std::vector<int64_t>& tokens, std::vector<double> log_probabilities);

  int64_t words() const { return words_; }
  /// Whether tokens have been joined.
  bool has_joined() const { return has_joined_; }
  /// Natural log-probability of all words.
  double log_probability() const { return log_probability_; }
  /// The negative log-probability of a word in bits; 0 without words.
  double loss_base_2() const;

  /// A line for each distinct word, the most frequent first (ties: the one that was seen first):
  /// the word, how often it occurs, the sum of its log-probabilities, whether it consists of
  /// several tokens, the sum of the next words' log-probabilities, and how many of these there
  /// were, separated by tabs.
  std::string statistics() const;

 private:
  struct Statistics {
    bool is_joined = false;
    int64_t count = 0;
    double log_probability = 0;
    double next_log_probability = 0;
    int64_t with_next = 0;
    size_t first_seen = 0;
  };

  bool continues(int64_t token) const;
  void join_subwords(const std::vector<int64_t>& tokens, std::vector<double>& log_probabilities);
  void note(const Word& word, bool is_joined, const double* next);

  const Dictionary& dictionary_;
  std::string continuation_;
  int64_t words_ = 0;
  bool has_joined_ = false;
  double log_probability_ = 0;
  std::map<std::string, Statistics> statistics_;
};

}  // namespace phraseq

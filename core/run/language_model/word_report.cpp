#include "core/run/language_model/word_report.h"

#include <algorithm>
#include <numbers>
#include <utility>

#include <fmt/format.h>

namespace phraseq {

WordReport::WordReport(const Dictionary& dictionary, std::string continuation)
    : dictionary_(dictionary), continuation_(std::move(continuation)) {}

bool WordReport::continues(int64_t token) const {
  return !continuation_.empty() && dictionary_.symbol(token).ends_with(continuation_);
}

/// Moves the log-probabilities of a word's tokens to its last token; the others become 0. Counts
/// the words.
void WordReport::join_subwords(const std::vector<int64_t>& tokens,
                               std::vector<double>& log_probabilities) {
  words_ += static_cast<int64_t>(tokens.size());
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!continues(tokens[i]))
      continue;
    log_probabilities[i + 1] += std::exchange(log_probabilities[i], 0);
    --words_;
    has_joined_ = true;
  }
}

std::vector<WordReport::Word> WordReport::add(const std::vector<int64_t>& tokens,
                                              std::vector<double> log_probabilities) {
  join_subwords(tokens, log_probabilities);
  for (const double value : log_probabilities) log_probability_ += value;
  std::vector<Word> words;
  std::string text;
  bool is_joined = false;
  for (size_t i = 0; i < tokens.size(); ++i) {
    text += dictionary_.symbol(tokens[i]);
    if (continues(tokens[i])) {
      text.resize(text.size() - continuation_.size());
      is_joined = true;
      continue;
    }
    words.push_back({std::exchange(text, {}), log_probabilities[i]});
    // The next word's log-probability is stored at its last token, after zeros, as in fairseq.
    const auto next = std::find_if(log_probabilities.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                   log_probabilities.end(),
                                   [](double value) { return value != 0; });
    note(words.back(),
         std::exchange(is_joined, false),
         next == log_probabilities.end() ? nullptr : &*next);
  }
  return words;
}

void WordReport::note(const Word& word, bool is_joined, const double* next) {
  const auto [place, is_new] = statistics_.emplace(word.text, Statistics());
  Statistics& of_word = place->second;
  if (is_new) {
    of_word.is_joined = is_joined;
    of_word.first_seen = statistics_.size();
  }
  ++of_word.count;
  of_word.log_probability += word.log_probability;
  if (next != nullptr) {
    of_word.next_log_probability += *next;
    ++of_word.with_next;
  }
}

double WordReport::loss_base_2() const {
  if (words_ == 0)
    return 0;
  return -log_probability_ / static_cast<double>(words_) / std::numbers::ln2;
}

std::string WordReport::statistics() const {
  using Entry = std::pair<std::string, Statistics>;
  std::vector<Entry> entries(statistics_.begin(), statistics_.end());
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.second.count != b.second.count)
      return a.second.count > b.second.count;
    return a.second.first_seen < b.second.first_seen;
  });
  std::string lines;
  for (const auto& [word, of_word] : entries) {
    lines += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n",
                         word,
                         of_word.count,
                         of_word.log_probability,
                         of_word.is_joined ? "True" : "False",
                         of_word.next_log_probability,
                         of_word.with_next);
  }
  return lines;
}

}  // namespace phraseq

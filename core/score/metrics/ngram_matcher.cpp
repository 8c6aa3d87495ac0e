#include "core/score/metrics/ngram_matcher.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace phraseq::score {
namespace {

constexpr uint32_t kAbsent = std::numeric_limits<uint32_t>::max();

/// Assigns numbers to pairs of 32-bit numbers: a hash table with open addressing, at most half
/// full.
class PairNumbers {
 public:
  explicit PairNumbers(size_t entries)
      : keys_(std::bit_ceil(2 * entries + 2), kEmpty), numbers_(keys_.size()) {}

  /// The pair's number, a new one if it was not seen before.
  uint32_t insert(uint32_t first, uint32_t second) {
    const size_t slot = find_slot(first, second);
    if (keys_[slot] == kEmpty) {
      keys_[slot] = key(first, second);
      numbers_[slot] = size_++;
    }
    return numbers_[slot];
  }

  uint32_t find(uint32_t first, uint32_t second) const {
    const size_t slot = find_slot(first, second);
    return keys_[slot] == kEmpty ? kAbsent : numbers_[slot];
  }

 private:
  static constexpr uint64_t kEmpty = std::numeric_limits<uint64_t>::max();

  static uint64_t key(uint32_t first, uint32_t second) { return uint64_t{first} << 32 | second; }

  size_t find_slot(uint32_t first, uint32_t second) const {
    const uint64_t wanted = key(first, second);
    const size_t mask = keys_.size() - 1;
    const uint64_t hash = wanted * 0x9E3779B97F4A7C15ULL;
    size_t slot = (hash ^ hash >> 32) & mask;
    while (keys_[slot] != kEmpty && keys_[slot] != wanted) slot = (slot + 1) & mask;
    return slot;
  }

  std::vector<uint64_t> keys_;
  std::vector<uint32_t> numbers_;
  uint32_t size_ = 0;
};

/// Hashes eight bytes per step, because words are short.
uint64_t hash_word(std::string_view word) {
  uint64_t hash = word.size();
  while (!word.empty()) {
    uint64_t part = 0;
    const size_t count = std::min(word.size(), sizeof(part));
    std::memcpy(&part, word.data(), count);
    hash = (hash ^ part) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 32;
    word.remove_prefix(count);
  }
  return hash;
}

/// The symbols of a sentence, and the numbers of its n-grams of the current order, by position.
struct Sentence {
  explicit Sentence(std::span<const uint32_t> row) : symbols(row), ngrams(row.size(), 0) {}

  /// How many n-grams of `order` there are.
  size_t count(size_t order) const {
    return symbols.size() < order ? 0 : symbols.size() - order + 1;
  }

  std::span<const uint32_t> symbols;
  std::vector<uint32_t> ngrams;
};

/// For each n-gram of the references, its highest count in a single reference.
std::vector<int32_t> count_references(std::vector<Sentence>& references,
                                      size_t order,
                                      PairNumbers& numbers,
                                      size_t total) {
  std::vector<int32_t> highest(total, 0);
  std::vector<int32_t> counts(total, 0);
  for (auto& reference : references) {
    const size_t count = reference.count(order);
    for (size_t at = 0; at < count; ++at) {
      auto& ngram = reference.ngrams[at];
      ngram = numbers.insert(ngram, reference.symbols[at + order - 1]);
      highest[ngram] = std::max(highest[ngram], ++counts[ngram]);
    }
    for (size_t at = 0; at < count; ++at) counts[reference.ngrams[at]] = 0;
  }
  return highest;
}

/// Counts matches; each match decrements the n-gram's count in `available`.
int64_t count_matches(Sentence& hypothesis,
                      size_t order,
                      const PairNumbers& numbers,
                      std::vector<int32_t>& available) {
  int64_t matches = 0;
  for (size_t at = 0; at < hypothesis.count(order); ++at) {
    auto& ngram = hypothesis.ngrams[at];
    if (ngram == kAbsent)
      continue;
    ngram = numbers.find(ngram, hypothesis.symbols[at + order - 1]);
    if (ngram != kAbsent && available[ngram] > 0) {
      --available[ngram];
      ++matches;
    }
  }
  return matches;
}

}  // namespace

std::vector<NgramCounts> match_ngrams(std::span<const uint32_t> hypothesis,
                                      std::span<const std::vector<uint32_t>> references,
                                      int max_order) {
  Sentence candidate(hypothesis);
  std::vector<Sentence> targets(references.begin(), references.end());
  std::vector<NgramCounts> result;
  for (size_t order = 1; order <= static_cast<size_t>(max_order); ++order) {
    size_t total = 0;
    for (const auto& target : targets) total += target.count(order);
    PairNumbers numbers(total);
    auto available = count_references(targets, order, numbers, total);
    const int64_t matches = count_matches(candidate, order, numbers, available);
    result.push_back(
        {static_cast<int64_t>(candidate.count(order)), static_cast<int64_t>(total), matches});
  }
  return result;
}

size_t WordNumbers::find_slot(std::string_view word) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = hash_word(word) & mask;
  while (slots_[slot] != 0 && words_[slots_[slot] - 1] != word) slot = (slot + 1) & mask;
  return slot;
}

void WordNumbers::make_room(size_t more) {
  const size_t wanted = std::bit_ceil(2 * (words_.size() + more) + 2);
  if (wanted <= slots_.size())
    return;
  slots_.assign(wanted, 0);
  for (uint32_t number = 0; number < words_.size(); ++number)
    slots_[find_slot(words_[number])] = number + 1;
}

std::vector<uint32_t> WordNumbers::number(const std::vector<std::string_view>& words) {
  make_room(words.size());
  std::vector<uint32_t> row;
  row.reserve(words.size());
  for (const auto& word : words) {
    uint32_t& slot = slots_[find_slot(word)];
    if (slot == 0) {
      words_.push_back(word);
      slot = static_cast<uint32_t>(words_.size());
    }
    row.push_back(slot - 1);
  }
  return row;
}

}  // namespace phraseq::score

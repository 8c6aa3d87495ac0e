#include "core/text/bpe/learn_bpe.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

using Merge = std::pair<std::string, std::string>;
using SplitWord = std::pair<std::vector<std::string>, int64_t>;

std::vector<SplitWord> split(const WordCounts& words) {
  std::vector<SplitWord> all;
  for (const auto& [word, count] : words) {
    std::vector<std::string> symbols;
    for (const char character : word) symbols.emplace_back(1, character);
    symbols.back() += "</w>";
    all.emplace_back(symbols, count);
  }
  return all;
}

/// The greatest pair among the most frequent ones, and its count.
std::pair<int64_t, Merge> best_of(const std::vector<SplitWord>& words) {
  std::map<Merge, int64_t> counts;
  for (const auto& [symbols, count] : words) {
    for (size_t i = 0; i + 1 < symbols.size(); ++i) counts[{symbols[i], symbols[i + 1]}] += count;
  }
  std::pair<int64_t, Merge> best;
  for (const auto& [pair, count] : counts) best = std::max(best, {count, pair});
  return best;
}

void merge_in(std::vector<std::string>& symbols, const Merge& pair) {
  for (size_t i = 0; i + 1 < symbols.size(); ++i) {
    if (Merge(symbols[i], symbols[i + 1]) != pair)
      continue;
    symbols[i] += symbols[i + 1];
    symbols.erase(symbols.begin() + static_cast<int64_t>(i) + 1);
  }
}

/// Algorithm 1 in its literal form: all pairs are counted again after each merge.
std::vector<Merge> learn_by_counting_again(const WordCounts& words, int64_t min_count) {
  std::vector<SplitWord> all = split(words);
  std::vector<Merge> learned;
  for (auto best = best_of(all); best.first >= min_count; best = best_of(all)) {
    learned.push_back(best.second);
    for (SplitWord& word : all) merge_in(word.first, best.second);
  }
  return learned;
}

/// Words of two different letters have many ties, repeated pairs, and symbols that can be made in
/// two ways.
WordCounts drawn_words(unsigned seed) {
  std::mt19937 generator(seed);
  WordCounts words;
  for (int i = 0; i < 40; ++i) {
    std::string word(1 + generator() % 9, 'a');
    for (char& letter : word) letter = generator() % 3 == 0 ? 'b' : 'a';
    words[word] += 1 + generator() % 4;
  }
  return words;
}

TEST(LearnedBpe, EqualsCountingAgainAfterEachMerge) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const WordCounts words = drawn_words(seed);
    for (const int64_t min_count : {1, 2, 5}) {
      EXPECT_EQ(learn_bpe(words, 1000, min_count), learn_by_counting_again(words, min_count))
          << "seed " << seed;
    }
  }
}

TEST(LearnedBpe, TakesTheGreatestOfEquallyFrequentPairs) {
  EXPECT_THAT(learn_bpe({{"ab", 3}, {"ac", 3}, {"ca", 2}, {"xy", 3}}, 3),
              ElementsAre(Pair("x", "y</w>"), Pair("a", "c</w>"), Pair("a", "b</w>")));
}

TEST(LearnedBpe, MergesRunsOfOneSymbolFromTheLeft) {
  EXPECT_THAT(learn_bpe({{"aaaaab", 2}}, 3),
              ElementsAre(Pair("a", "a"), Pair("aa", "aa"), Pair("aaaa", "a")));
}

TEST(LearnedBpe, StopsWhenNoPairIsFrequentEnoughOrLeft) {
  EXPECT_THAT(learn_bpe({{"ab", 2}, {"c", 9}, {"", 9}}, 5, 3), IsEmpty());
  EXPECT_THAT(learn_bpe({{"ab", 2}}, 5, 2), ElementsAre(Pair("a", "b</w>")));
  EXPECT_THAT(learn_bpe({}, 5, 1), IsEmpty());
}

}  // namespace
}  // namespace phraseq

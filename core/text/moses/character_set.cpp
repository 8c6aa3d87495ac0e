#include "core/text/moses/character_set.h"

#include <algorithm>
#include <array>

namespace phraseq::moses {
namespace {

constexpr char32_t kLow = 0x250;

bool is_in(std::span<const Range> table, char32_t character) {
  const auto after = std::upper_bound(
      table.begin(), table.end(), character, [](char32_t value, const Range& range) {
        return value < range.first;
      });
  return after != table.begin() && character <= (after - 1)->last;
}

}  // namespace

CharacterSet::CharacterSet(std::vector<CharacterClass> classes) {
  for (const CharacterClass which : classes) tables_.push_back(ranges_of(which));
  for (char32_t character = 0; character < kLow; ++character) {
    low_.push_back(std::any_of(tables_.begin(), tables_.end(), [&](const auto& table) {
      return is_in(table, character);
    }));
  }
}

bool CharacterSet::has(char32_t character) const {
  if (character < kLow)
    return low_[character];
  return std::any_of(
      tables_.begin(), tables_.end(), [&](const auto& table) { return is_in(table, character); });
}

/// In sacremoses, the ranges do not include their ends.
bool is_cjk(char32_t character) {
  constexpr std::array<Range, 11> kRanges = {{{4352, 4607},
                                              {11904, 42191},
                                              {43072, 43135},
                                              {44032, 55215},
                                              {63744, 64255},
                                              {65072, 65103},
                                              {65381, 65500},
                                              {94208, 101119},
                                              {110592, 110895},
                                              {110960, 111359},
                                              {131072, 196607}}};
  for (const auto& [first, last] : kRanges) {
    if (character < last)
      return character > first;
  }
  return false;
}

}  // namespace phraseq::moses
